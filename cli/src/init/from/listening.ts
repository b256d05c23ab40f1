import type { Application } from '../applications.js';
import type { Module } from '../modules.js';
import { importedAs } from '../names.js';
import { type Node, bare, startOf, statementAround, walk } from '../syntax.js';
import { textOf } from './functions.js';

/** The statement that lets a server listen, and how later lines refer to that server. */
export interface Listening {
  readonly statement: Node;
  readonly around: readonly Node[];
  readonly server: string;
  /** Whether the statement has to give the server this name. */
  readonly isNameless: boolean;
}

const isServe = (module: Module, node: Node): boolean => {
  const imported = importedAs(module, node);
  return imported?.name === 'serve' && imported.from === '@hono/node-server';
};

/** The only place of a module in which something listens. */
export function listeningIn(
  module: Module,
  { framework, reference }: Application,
  free: string,
): Listening | undefined {
  const found: (Listening | undefined)[] = [];
  walk(module.tree.program, (node, around) => {
    if (node.type !== 'CallExpression') return;
    const { callee } = node;
    const isListen =
      callee.type === 'MemberExpression' &&
      callee.property.type === 'Identifier' &&
      callee.property.name === 'listen';
    if (!isListen && !isServe(module, callee)) return;
    const place = statementAround(node, around);
    if (place === undefined) return;
    const { statement } = place;
    const at = { statement, around: around.slice(0, place.depth + 1), isNameless: false };
    const target = isListen ? textOf(module, callee.object) : '';
    if (framework === 'fastify') found.push({ ...at, server: `${target}.server` });
    else if (framework === 'node' && target === reference) found.push({ ...at, server: target });
    else if (statement.type === 'VariableDeclaration') {
      const [only] = statement.declarations;
      const isOwn = statement.declarations.length === 1 && only?.id.type === 'Identifier';
      found.push(isOwn && holds(only.init, node) ? { ...at, server: textOf(module, only.id) } : undefined);
    } else if (statement.type === 'ExpressionStatement' && isServerOfNode(module, target))
      found.push({ ...at, server: target });
    else
      found.push(
        statement.type === 'ExpressionStatement' && startOf(statement) === startOf(node)
          ? { ...at, server: free, isNameless: true }
          : undefined,
      );
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Whether a value is a call, or a chain of `on` and `once` after it, which return the same server. */
function holds(value: Node | null | undefined, call: Node): boolean {
  const node = bare(value);
  if (node === call) return true;
  const isChained =
    node?.type === 'CallExpression' &&
    node.callee.type === 'MemberExpression' &&
    node.callee.property.type === 'Identifier' &&
    ['on', 'once'].includes(node.callee.property.name);
  return isChained && node.callee.type === 'MemberExpression' && holds(node.callee.object, call);
}

function isServerOfNode(module: Module, name: string): boolean {
  let isServer = false;
  walk(module.tree.program, (node) => {
    if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier' || node.id.name !== name) return;
    const init = bare(node.init);
    isServer ||= init?.type === 'CallExpression' && /\bcreate\w*Server$/.test(textOf(module, init.callee));
  });
  return isServer;
}
