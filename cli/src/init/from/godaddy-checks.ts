import type { Module } from '../modules.js';
import { type Node, bare } from '../syntax.js';
import type { Style } from '../writing.js';
import { functionOf, isFunction, isTrivial, returnsOf, textOf } from './functions.js';
import { moved } from './lines.js';
import { type Old, type Option, optionsOf } from './migration.js';

/** The checks of `healthChecks`, and the paths that must still answer. */
export interface Checks {
  readonly live: readonly string[];
  readonly ready: readonly string[];
  /** Name and function of each check. */
  readonly list: readonly (readonly [name: string, run: string])[];
}

/** The argument of a check, which does not run after the signal. */
const state = '{ state: { isShuttingDown: false } }';

/** One path with checks: any number of others must have the same, or say only that the process runs. */
export function checksOf(
  old: Old,
  module: Module,
  option: Option | undefined,
  style: Style,
  indent: string,
): Checks | undefined {
  const paths = optionsOf(bare(option?.value));
  if (paths === undefined)
    return (old.leave(module, option?.member, 'healthChecks is not written in the call'), undefined);
  const found = [...paths].filter(([name]) => name !== 'verbatim' && name !== '__unsafeExposeStackTraces');
  if (found.length < paths.size)
    old.leave(module, option?.member, 'the body of the old path no longer has values of checks or a stack');
  const real = found.filter(([, { value }]) => {
    const run = functionOf(module, value);
    return run === undefined || !isTrivial(module, run);
  });
  const runs = new Set(real.map(([, { value }]) => textOf(module, value)));
  const others = found.filter((one) => !real.includes(one)).map(([path]) => path);
  const isClear = real.length === 0 || others.every((path) => /live|alive|ping/i.test(path));
  if (runs.size > 1 || !isClear) {
    old.leave(
      module,
      option?.member,
      'several paths have different checks: one of them can be a group of checks',
    );
    return undefined;
  }
  const [first] = real;
  const ready = real.length === 0 ? others : real.map(([path]) => path);
  const live = real.length === 0 ? [] : others;
  const wrong = [...ready, ...live].find((path) => !/^\/[\w./-]*[\w-]$/.test(path));
  if (wrong !== undefined)
    return (old.leave(module, option?.member, `${wrong} is not a path that lifesign serves`), undefined);
  if (first === undefined) return { live, ready, list: [] };
  return {
    live,
    ready,
    list: [[nameOf(first[0], first[1].value), runOf(module, first[1].value, style, indent)]],
  };
}

function nameOf(path: string, value: Node): string {
  if (value.type === 'Identifier') return value.name;
  return path.replace(/^.*\/(?=[^/])/, '').replaceAll(/\W+/g, '_') || 'health';
}

/** A function that throws as the old one, and returns nothing: the value of the old one was its body. */
function runOf(module: Module, value: Node, { semicolon }: Style, indent: string): string {
  const run = functionOf(module, value);
  const inline = bare(value);
  if (isFunction(inline) && inline.params.length === 0) {
    const values = returnsOf(inline);
    if (values.length === 0) return moved(module, inline, indent);
    const [only] = values;
    if (inline.body.type !== 'BlockStatement' && only !== undefined)
      return wrapped(`await ${operand(module, only, indent)}${semicolon}`);
  }
  const isBare = run !== undefined && run.params.length === 0;
  const called = isFunction(inline) ? `(${moved(module, inline, `${indent}  `)})` : textOf(module, value);
  return wrapped(`await ${called}(${isBare ? '' : state})${semicolon}`);
}

const wrapped = (line: string): string => `async () => {\n  ${line}\n}`;

function operand(module: Module, node: Node, indent: string): string {
  const inner = node.type === 'AwaitExpression' ? node.argument : node;
  const text = moved(module, inner, `${indent}  `);
  return /^(?:Call|Member|New|Identifier)/.test(inner.type) ? text : `(${text})`;
}
