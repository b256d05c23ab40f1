import type { Module } from '../modules.js';
import { type Node, bare, endOf, startOf, walk } from '../syntax.js';

export type FunctionNode = Extract<
  Node,
  {
    type:
      | 'ArrowFunctionExpression'
      | 'FunctionDeclaration'
      | 'FunctionExpression'
      | 'ObjectMethod'
      | 'ClassMethod';
  }
>;

const types = new Set([
  'ArrowFunctionExpression',
  'FunctionDeclaration',
  'FunctionExpression',
  'ObjectMethod',
  'ClassMethod',
]);

export const isFunction = (node: Node | undefined): node is FunctionNode =>
  node !== undefined && types.has(node.type);

export const textOf = ({ text }: Module, node: Node): string => text.slice(startOf(node), endOf(node));

/** The function that a value is: written here, or declared under that name in the module. */
export function functionOf(module: Module, node: Node | undefined): FunctionNode | undefined {
  const value = bare(node);
  if (isFunction(value)) return value;
  if (value?.type !== 'Identifier') return undefined;
  const found: FunctionNode[] = [];
  walk(module.tree.program, (one) => {
    if (one.type === 'FunctionDeclaration' && one.id?.name === value.name) found.push(one);
    if (one.type !== 'VariableDeclarator' || one.id.type !== 'Identifier' || one.id.name !== value.name)
      return;
    const init = bare(one.init);
    if (isFunction(init)) found.push(init);
  });
  return found.length === 1 ? found[0] : undefined;
}

/** The values that a function returns. */
export function returnsOf(node: FunctionNode): Node[] {
  if (node.body.type !== 'BlockStatement') return [node.body];
  const values: Node[] = [];
  walk(node.body, (one, around) => {
    if (one.type === 'ReturnStatement' && one.argument && !around.some((outer) => isFunction(outer)))
      values.push(one.argument);
  });
  return values;
}

/** A method of an object as a function of its own: `async onSignal() {}` is `async function onSignal() {}`. */
export function functionText(module: Module, node: Node): string {
  const text = textOf(module, node);
  if (node.type !== 'ObjectMethod') return text;
  return text.replace(/^(async\s+)?/, (_all, keyword: string | undefined) => `${keyword ?? ''}function `);
}

const literal = new Set(['BooleanLiteral', 'NumericLiteral', 'StringLiteral', 'NullLiteral']);

/** A value that says nothing: `true`, `{}`, `Promise.resolve()`. */
function isConstant(module: Module, node: Node | null | undefined): boolean {
  const value = bare(node);
  if (value === undefined || literal.has(value.type)) return true;
  if (value.type === 'ObjectExpression')
    return value.properties.every((one) => one.type === 'ObjectProperty' && isConstant(module, one.value));
  return (
    value.type === 'CallExpression' &&
    textOf(module, value.callee) === 'Promise.resolve' &&
    value.arguments.every((argument) => isConstant(module, argument))
  );
}

/** Whether a function does nothing but return such a value. */
export function isTrivial(module: Module, node: FunctionNode): boolean {
  if (node.body.type !== 'BlockStatement') return isConstant(module, node.body);
  return node.body.body.every((one) => one.type === 'ReturnStatement' && isConstant(module, one.argument));
}

/** The milliseconds of `() => new Promise((resolve) => setTimeout(resolve, ms))`. */
export function delayOf(module: Module, node: FunctionNode): Node | undefined {
  const statement = node.body.type === 'BlockStatement' ? node.body.body[0] : undefined;
  const only = node.body.type === 'BlockStatement' && node.body.body.length === 1 ? statement : undefined;
  const returned =
    node.body.type !== 'BlockStatement'
      ? node.body
      : only?.type === 'ReturnStatement'
        ? only.argument
        : only?.type === 'ExpressionStatement'
          ? only.expression
          : undefined;
  const value = bare(returned);
  if (value?.type !== 'NewExpression' || textOf(module, value.callee) !== 'Promise') return undefined;
  const [run] = value.arguments;
  if (!isFunction(run)) return undefined;
  const [resolve] = run.params;
  const inner = run.body.type === 'BlockStatement' ? run.body.body : [];
  const call =
    run.body.type !== 'BlockStatement'
      ? run.body
      : inner.length === 1 && inner[0]?.type === 'ExpressionStatement'
        ? inner[0].expression
        : undefined;
  if (call?.type !== 'CallExpression' || textOf(module, call.callee) !== 'setTimeout') return undefined;
  const [first, time, ...others] = call.arguments;
  const isPlain =
    resolve?.type === 'Identifier' && first?.type === 'Identifier' && first.name === resolve.name;
  return isPlain && others.length === 0 ? time : undefined;
}
