import type { Module } from '../modules.js';
import { bare, stringOf } from '../syntax.js';
import { delayOf, functionOf, textOf } from './functions.js';
import { moved } from './lines.js';
import type { Old, Option } from './migration.js';

/** Options that have a counterpart with one value only: it is the default of lifesign. */
const onlyUsual: Readonly<Record<string, string>> = {
  statusOk: '200',
  statusError: '503',
  caseInsensitive: 'false',
  sendFailuresDuringShutdown: 'true',
};

const isSignal = (text: string | undefined): boolean => text !== undefined && /^SIG[A-Z0-9]+$/.test(text);

/** The members of the options of drainOnSignals; undefined if an option has no counterpart. */
export function drainOf(
  old: Old,
  module: Module,
  options: ReadonlyMap<string, Option>,
  indent: string,
): string[] | undefined {
  const members: string[] = [];
  const last: string[] = [];
  for (const [name, { member, value }] of options) {
    const text = moved(module, value, `${indent}  `);
    const plain = bare(value);
    if (name === 'healthChecks' || name === 'useExit0' || onlyUsual[name] === text) continue;
    if (name === 'timeout') members.push(`timeout: ${text}`);
    else if (name === 'signal' && isSignal(stringOf(plain))) members.push(`signals: [${text}]`);
    else if (
      name === 'signals' &&
      plain?.type === 'ArrayExpression' &&
      plain.elements.every((one) => isSignal(stringOf(one)))
    )
      members.push(`signals: ${text}`);
    else if (name === 'beforeShutdown') {
      const run = functionOf(module, value);
      const delay = run && delayOf(module, run);
      if (delay === undefined)
        return (old.leave(module, member, 'beforeShutdown does more than wait'), undefined);
      members.unshift(`delay: ${textOf(module, delay)}`);
    } else if (name === 'onSignal' || name === 'onSigterm' || name === 'onShutdown') {
      if (/\bthis\b/.test(text)) return (old.leave(module, member, `${name} uses this`), undefined);
      if (name === 'onShutdown') last.push(text);
      else last.unshift(text);
    } else if (name === 'logger')
      old.leave(
        module,
        member,
        'the logger is left out: lifesign takes one with levels, as the option logger of Health',
      );
    else return (old.leave(module, member, `${name} has no counterpart with this value`), undefined);
  }
  if (last.length > 0) members.push(`onShutdown: [${last.join(', ')}]`);
  return members;
}
