import { parse, type ParserPlugin } from '@babel/parser';
import type { CallExpression, File, NewExpression, Node } from '@babel/types';

export type { Node };

/** A call or a construction, which creates an application or a client. */
export type Creation = CallExpression | NewExpression;

/** A source file and its syntax tree. */
export interface Source {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly tree: File;
}

/** The syntax tree of a file; undefined if it does not parse. */
export function treeOf(path: string, text: string): File | undefined {
  const plugins: ParserPlugin[] = ['decorators-legacy', 'explicitResourceManagement'];
  if (/\.[cm]?tsx?$/.test(path)) plugins.push('typescript');
  if (!/\.[cm]?ts$/.test(path)) plugins.push('jsx');
  try {
    return parse(text, {
      sourceType: 'unambiguous',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowImportExportEverywhere: true,
      plugins,
    });
  } catch {
    return undefined;
  }
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string' &&
  'start' in value;

/** The nodes right below a node. */
function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  for (const [key, value] of Object.entries(node)) {
    if (key.endsWith('omments') || key === 'loc' || key === 'extra') continue;
    for (const one of Array.isArray(value) ? value : [value]) if (isNode(one)) children.push(one);
  }
  return children;
}

/** Visits every node below, with the nodes around it, the nearest last. */
export function walk(node: Node, visit: (node: Node, around: readonly Node[]) => void): void {
  // A list instead of recursion: generated code nests deeply.
  const waiting: { readonly node: Node; readonly around: readonly Node[] }[] = [{ node, around: [] }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    visit(next.node, next.around);
    const around = [...next.around, next.node];
    for (const child of childrenOf(next.node).toReversed()) waiting.push({ node: child, around });
  }
}

/** The start and end of a node in the text. */
export const startOf = (node: Node): number => node.start ?? 0;
export const endOf = (node: Node): number => node.end ?? 0;

/** The text of a node. */
export const codeOf = ({ text }: Pick<Source, 'text'>, node: Node): string =>
  text.slice(startOf(node), endOf(node));

/** A regular expression for exactly this name. */
export const patternOf = (name: string): string => `(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$])`;

/** Whether a module exports a name as a whole. */
export const isWhole = ({ text }: Pick<Source, 'text'>, name: string): boolean =>
  new RegExp(`(?:module\\.exports\\s*=|export\\s+default)\\s+${patternOf(name)}\\s*(?:;|$)`, 'm').test(text);

export const isFunction = ({ type }: Node): boolean => /Function|Method/.test(type);

const bodies = new Set(['Program', 'BlockStatement', 'TSModuleBlock', 'StaticBlock']);

/** A statement, and the block that contains it. */
export interface Place {
  readonly statement: Node;
  readonly block: Node;
}

/** The statement around a node. */
export function placeOf(node: Node, around: readonly Node[]): Place | undefined {
  const depth = around.findLastIndex(({ type }) => bodies.has(type));
  const block = around[depth];
  return block && { statement: around[depth + 1] ?? node, block };
}

/** The object and the name of `app.listen`; undefined for anything else. */
export const memberOf = (
  node: Node | null | undefined,
): { readonly object: Node; readonly name: string } | undefined =>
  node?.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier'
    ? { object: node.object, name: node.property.name }
    : undefined;

/** The text of a string without expressions in it. */
export function stringOf(node: Node | null | undefined): string | undefined {
  if (node?.type === 'StringLiteral') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined;
  return undefined;
}

/** The text of a key: `port` in `{ port: 1 }` and in `{ 'port': 1 }`. */
export const nameOf = (node: Node): string | undefined =>
  node.type === 'Identifier' ? node.name : stringOf(node);

/** Unwraps syntax that does not change a value: `await`, `as`, `!`. */
export function bare(node: Node | null | undefined): Node | undefined {
  if (node?.type === 'AwaitExpression') return bare(node.argument);
  const isTyped =
    node?.type === 'TSAsExpression' ||
    node?.type === 'TSNonNullExpression' ||
    node?.type === 'TSSatisfiesExpression';
  return isTyped ? bare(node.expression) : (node ?? undefined);
}

/** Members whose result is the value that they are called on, or works as it. */
const isSame = /^(?:on|connect|promise|\$extends)$/;

/** How later statements refer to a new value, through `await`, `as`, `||` and assignments: `app`, `this.app`, or `module.exports` for what a module exports as a whole. */
export function referenceTo(
  source: Source,
  creation: Node,
  around: readonly Node[],
  same = isSame,
): string | undefined {
  let inner = creation;
  let whole: string | undefined;
  for (const node of around.toReversed()) {
    if (node.type === 'VariableDeclarator') return nameOf(node.id);
    if (node.type === 'ClassProperty' || node.type === 'ClassPrivateProperty')
      return `this.${codeOf(source, node.key)}`;
    if (node.type === 'ExportDefaultDeclaration') return 'module.exports';
    if (node.type === 'AssignmentExpression') {
      const target = codeOf(source, node.left);
      if (target.startsWith('this.')) return target;
      // A variable that gets its value later, or perhaps, may have none.
      if (node.left.type === 'Identifier') return undefined;
      if (target === 'module.exports') whole = target;
    } else {
      const isMember = node.type === 'MemberExpression' && same.test(memberOf(node)?.name ?? '');
      const isOther = node.type === 'LogicalExpression' && node.right === inner;
      const isCall = node.type === 'CallExpression' && node.callee === inner;
      if (!isMember && !isOther && !isCall && bare(node) !== bare(inner)) return whole;
    }
    inner = node;
  }
  return whole;
}
