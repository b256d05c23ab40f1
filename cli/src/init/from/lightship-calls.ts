import type { Module } from '../modules.js';
import { type Node, bare, statementAround, walk } from '../syntax.js';
import { isFunction, textOf } from './functions.js';
import type { Old } from './migration.js';

type Call = Extract<Node, { type: 'CallExpression' }>;

/** A call of a method of lightship. */
export interface MethodCall {
  readonly call: Call;
  readonly around: readonly Node[];
  readonly statement: Node;
}

export interface MethodCalls {
  readonly signalReady: readonly MethodCall[];
  readonly shutdown: readonly MethodCall[];
  readonly registerShutdownHandler: readonly MethodCall[];
  /** Only those that change nothing: lightship begins as not ready. */
  readonly signalNotReady: readonly MethodCall[];
}

/** Replacements for methods that init does not rewrite. */
const hints: Readonly<Record<string, string>> = {
  queueBlockingTask: 'await the task before the service is ready',
  signalNotReady: 'write a check that fails meanwhile',
  createBeacon: 'requests are counted without beacons, jobs by health.job',
};

/** The calls of its methods by name; undefined if it is used in a way that has no counterpart. */
export function methodCalls(
  old: Old,
  module: Module,
  name: string,
  declaration: Node,
): MethodCalls | undefined {
  const calls = {
    signalReady: [],
    shutdown: [],
    registerShutdownHandler: [],
    signalNotReady: [],
  } satisfies Record<string, MethodCall[]>;
  const found: Record<string, MethodCall[]> = calls;
  let isGood = true;
  walk(module.tree.program, (node, around) => {
    if (node.type !== 'Identifier' || node.name !== name || around.includes(declaration)) return;
    const [call, member] = [around.at(-2), around.at(-1)];
    if (member?.type === 'MemberExpression' && member.property === node) return;
    const method =
      member?.type === 'MemberExpression' && member.property.type === 'Identifier' && !member.computed
        ? member.property.name
        : '';
    const place = statementAround(node, around);
    const list = found[method];
    if (
      call?.type === 'CallExpression' &&
      call.callee === member &&
      list !== undefined &&
      place !== undefined &&
      (method !== 'signalNotReady' || isNext(declaration, place.statement, call, around))
    ) {
      list.push({ call, around: around.slice(0, -2), statement: place.statement });
      return;
    }
    isGood = false;
    const hint = hints[method];
    old.leave(
      module,
      node,
      `${method === '' ? name : `${name}.${method}`} is not replaced${hint === undefined ? '' : `: ${hint}`}`,
    );
  });
  return isGood ? calls : undefined;
}

/** Whether a call is the statement right after another. */
function isNext(before: Node, statement: Node, call: Node, around: readonly Node[]): boolean {
  if (statement.type !== 'ExpressionStatement' || statement.expression !== call) return false;
  const block = around[around.indexOf(statement) - 1];
  const body: readonly Node[] =
    block?.type === 'Program' || block?.type === 'BlockStatement' ? block.body : [];
  return body.includes(before) && body.indexOf(statement) === body.indexOf(before) + 1;
}

/** The handlers of the calls that are statements of their own; undefined if one does not, or closes the server in its own way. */
export function handlersOf(
  old: Old,
  module: Module,
  calls: readonly MethodCall[],
  server: string | undefined,
): Node[] | undefined {
  const handlers: Node[] = [];
  for (const { call, statement } of calls) {
    const [handler] = call.arguments;
    const isOwn = statement.type === 'ExpressionStatement' && bare(statement.expression) === call;
    if (!isOwn || handler === undefined) {
      old.leave(module, call, 'registerShutdownHandler is called inside of another expression');
      return undefined;
    }
    const text = textOf(module, handler);
    if (server === undefined || !text.includes(`${server}.close(`)) handlers.push(handler);
    else if (!onlyCloses(module, handler, server)) {
      old.leave(module, call, `drainOnSignals closes ${server}: take ${server}.close out of this handler`);
      return undefined;
    }
  }
  return handlers;
}

/** `() => server.close()`, which drainOnSignals does. */
function onlyCloses(module: Module, handler: Node, server: string): boolean {
  if (!isFunction(handler)) return false;
  const { body } = handler;
  const [first, ...others] = body.type === 'BlockStatement' ? body.body : [];
  const value =
    body.type !== 'BlockStatement'
      ? body
      : first?.type === 'ExpressionStatement'
        ? first.expression
        : first?.type === 'ReturnStatement'
          ? first.argument
          : undefined;
  const call = bare(value);
  return (
    others.length === 0 &&
    call?.type === 'CallExpression' &&
    textOf(module, call.callee) === `${server}.close` &&
    call.arguments.length === 0
  );
}
