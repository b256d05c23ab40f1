import type { Module } from './modules.js';
import { importedAs } from './names.js';
import { type Node, bare, nameOf, stringOf, walk } from './syntax.js';

/** The port and protocol of a service, for the files beside the code. */
export interface Serving {
  /** The port without `PORT` in its environment, if the code says it. */
  readonly port: number | undefined;
  /** Whether it answers requests over plain HTTP/1.1. */
  readonly isPlain: boolean;
}

export const unknownServing: Serving = { port: undefined, isPlain: true };

export const servingOf = (all: readonly Module[]): Serving => ({
  port: portIn(all),
  isPlain: !all.some(isSecure),
});

/** Servers of https and http2, and `fastify({ https: … })`. */
function isSecure(module: Module): boolean {
  let found = false;
  walk(module.tree.program, (node) => {
    if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      const { from = '', name = '' } = importedAs(module, node.callee) ?? {};
      found ||=
        /^(?:node:)?https?2?$/.test(from) && !/^(?:node:)?http$/.test(from) && /^create|^Server$/.test(name);
    }
    if (node.type === 'ObjectProperty' && /^(?:https|http2)$/.test(nameOf(node.key) ?? ''))
      found ||= node.value.type !== 'BooleanLiteral' || node.value.value;
  });
  return found;
}

/** The port that the modules listen on without `PORT`, if they say so in a number. */
function portIn(all: readonly Module[]): number | undefined {
  const usual: number[] = [];
  const fixed: number[] = [];
  for (const module of all) {
    const names = new Map<string, Node>();
    const valueOf = (node: Node | null | undefined): number | undefined => numberOf(names, node);
    walk(module.tree.program, (node, around) => {
      if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init)
        names.set(node.id.name, node.init);
      const value = usualPort(module, node, around, valueOf);
      if (value !== undefined) usual.push(value);
      const listened = listenedOn(node);
      const port = listened && valueOf(listened);
      if (port !== undefined) fixed.push(port);
    });
  }
  return [...usual, ...fixed].find((port) => Number.isInteger(port) && port > 0 && port < 65_536);
}

const isPort = /(?:^|_|\b)PORT\b/i;

/** The number in `process.env.PORT || 3000`, `{ PORT = 3000 }`, and `PORT: z.number().default(3000)`. */
function usualPort(
  { text }: Module,
  node: Node,
  around: readonly Node[],
  valueOf: (node: Node) => number | undefined,
): number | undefined {
  const textOf = ({ start, end }: Node): string => text.slice(start ?? 0, end ?? 0);
  if (node.type === 'LogicalExpression' && /\bPORT\b/.test(textOf(node.left))) return valueOf(node.right);
  if (node.type === 'ConditionalExpression' && /\bPORT\b/.test(textOf(node.test)))
    return valueOf(node.alternate);
  if (node.type === 'AssignmentPattern' && /^port$/i.test(textOf(node.left))) {
    const pattern = around.at(-2);
    return pattern?.type === 'ObjectPattern' ? valueOf(node.right) : undefined;
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  if (node.callee.property.type !== 'Identifier' || node.callee.property.name !== 'default') return undefined;
  const key = around.findLast(({ type }) => type === 'ObjectProperty');
  const isOne = key?.type === 'ObjectProperty' && isPort.test(nameOf(key.key) ?? '');
  return isOne && node.arguments[0] ? valueOf(node.arguments[0]) : undefined;
}

/** The port in `listen(3000)`, `listen({ port: 3000 })` and `serve({ fetch, port: 3000 })`. */
function listenedOn(node: Node): Node | undefined {
  if (node.type !== 'CallExpression') return undefined;
  const { callee } = node;
  const name = callee.type === 'MemberExpression' ? nameOf(callee.property) : nameOf(callee);
  const [first] = node.arguments;
  if ((name !== 'listen' && name !== 'serve') || first === undefined) return undefined;
  if (first.type !== 'ObjectExpression') return name === 'listen' ? first : undefined;
  const port = first.properties.find(
    (property) => property.type === 'ObjectProperty' && nameOf(property.key) === 'port',
  );
  return port?.type === 'ObjectProperty' ? port.value : undefined;
}

function numberOf(names: ReadonlyMap<string, Node>, node: Node | null | undefined): number | undefined {
  const inner = bare(node);
  if (inner?.type === 'NumericLiteral') return inner.value;
  if (inner?.type === 'Identifier') {
    const value = bare(names.get(inner.name));
    return value?.type === 'NumericLiteral' ? value.value : undefined;
  }
  const text = stringOf(inner);
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
