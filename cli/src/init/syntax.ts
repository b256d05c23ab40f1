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

const isNode = (value: unknown): value is Node =>
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

const bodies = new Set(['Program', 'BlockStatement', 'TSModuleBlock', 'StaticBlock']);

/** The statement around a node, and the block that contains it. */
export function statementAround(
  node: Node,
  around: readonly Node[],
): { readonly statement: Node; readonly block: Node } | undefined {
  const path = [...around, node];
  for (let depth = around.length - 1; depth >= 0; depth -= 1) {
    const block = path[depth];
    const statement = path[depth + 1];
    if (block !== undefined && statement !== undefined && bodies.has(block.type)) return { statement, block };
  }
  return undefined;
}

/** `app` or `this.app`: something that later statements can refer to. */
export function referenceOf(source: Source, node: Node | null | undefined): string | undefined {
  if (node?.type === 'Identifier') return node.name;
  if (node?.type !== 'MemberExpression' || node.object.type !== 'ThisExpression') return undefined;
  return codeOf(source, node);
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

/** Unwraps syntax that does not change a value: `await`, `as`, `!`, parentheses. */
export function bare(node: Node | null | undefined): Node | undefined {
  let inner = node ?? undefined;
  while (inner !== undefined) {
    if (inner.type === 'AwaitExpression') inner = inner.argument;
    else if (inner.type === 'TSAsExpression' || inner.type === 'TSNonNullExpression')
      inner = inner.expression;
    else if (inner.type === 'TSSatisfiesExpression' || inner.type === 'ParenthesizedExpression')
      inner = inner.expression;
    else return inner;
  }
  return undefined;
}

/** The variable or the member that keeps a value. */
export interface Holder {
  /** How later statements refer to it; undefined if they cannot. */
  readonly reference: string | undefined;
  /** The whole expression: `new Pool()` in `module.exports = new Pool()`. */
  readonly whole: Node;
  /** Whether the reference is declared elsewhere, and gets its value here. */
  readonly isAssigned: boolean;
}

/** Follows a new value to the variable that keeps it: through `await`, `as`, `||`, assignments, and calls of members that return the same value. */
export function holderOf(
  source: Source,
  creation: Node,
  around: readonly Node[],
  isSame: (member: string) => boolean,
): Holder {
  let inner = creation;
  let whole: Node | undefined;
  const held = (reference: string | undefined, isAssigned: boolean): Holder => ({
    reference,
    whole: whole ?? inner,
    isAssigned,
  });
  for (const node of around.toReversed()) {
    if (node.type === 'VariableDeclarator') return held(referenceOf(source, node.id), false);
    if (node.type === 'ClassProperty')
      return held(node.key.type === 'Identifier' ? `this.${node.key.name}` : undefined, false);
    if (node.type === 'AssignmentExpression') {
      const reference = referenceOf(source, node.left);
      if (reference !== undefined) return held(reference, true);
      // `module.exports = express()` has the value of the application, too.
      whole ??= inner;
    } else {
      const isMember = node.type === 'MemberExpression' && node.object === inner;
      const isOther = node.type === 'LogicalExpression' && node.right === inner;
      const isCall = node.type === 'CallExpression' && node.callee === inner;
      const isKept = isMember ? isSame(memberOf(node)?.name ?? '') : isOther || isCall;
      if (!isKept && bare(node) !== bare(inner)) break;
    }
    inner = node;
  }
  return held(undefined, false);
}
