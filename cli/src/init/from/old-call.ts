import type { Module } from '../modules.js';
import { type Creation, type Node, statementAround, walk } from '../syntax.js';
import { indentAt } from '../writing.js';
import { textOf } from './functions.js';
import { startOf } from '../syntax.js';

/** A call of the old package in its statement, and how the lines that replace it get the server. */
export interface OldCall {
  readonly call: Creation;
  readonly statement: Node;
  readonly around: readonly Node[];
  readonly indent: string;
}

/** The calls that a test accepts, each in its statement. */
export function callsIn(module: Module, isWanted: (call: Creation) => boolean): OldCall[] {
  const found: OldCall[] = [];
  walk(module.tree.program, (node, around) => {
    if (node.type !== 'CallExpression' || !isWanted(node)) return;
    const place = statementAround(node, around);
    if (place === undefined) return;
    found.push({
      call: node,
      statement: place.statement,
      around,
      indent: indentAt(module.text, startOf(place.statement)),
    });
  });
  return found;
}

/** The code around a call that returns its first argument: the lines before and after the new ones. */
export interface Frame {
  readonly server: string;
  readonly before: readonly string[];
  readonly behind: readonly string[];
}

/**
 * `wrap(server)`, `const server = wrap(createServer())`, `wrap(createServer()).listen(3000)` and `return wrap(server)`; undefined for anything else.
 */
export function frameOf(
  module: Module,
  { call, statement }: OldCall,
  free: string,
  semicolon: string,
): Frame | undefined {
  const [first] = call.arguments;
  if (first === undefined) return undefined;
  const text = textOf(module, first);
  const isName = first.type === 'Identifier' || first.type === 'MemberExpression';
  if (!isName && first.type !== 'CallExpression') return undefined;
  const server = isName ? text : free;
  const named = isName ? [] : [`const ${free} = ${text}${semicolon}`];
  if (statement.type === 'ExpressionStatement') {
    if (statement.expression === call) return { server, before: named, behind: [] };
    if (startOf(statement) !== startOf(call)) return undefined;
    const rest = module.text.slice(call.end ?? 0, statement.end ?? 0);
    return /^\s*\.\s*(?:listen|on|once)\s*\(/.test(rest)
      ? { server, before: named, behind: [server + rest] }
      : undefined;
  }
  if (statement.type === 'ReturnStatement')
    return statement.argument === call
      ? { server, before: named, behind: [`return ${server}${semicolon}`] }
      : undefined;
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declaration?.type !== 'VariableDeclaration' || declaration.declarations.length !== 1) return undefined;
  const [only] = declaration.declarations;
  if (only?.id.type !== 'Identifier' || only.init !== call) return undefined;
  const head = module.text.slice(startOf(statement), startOf(call));
  return { server: only.id.name, before: [`${head}${text}${semicolon}`], behind: [] };
}
