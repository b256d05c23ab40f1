import { constants } from 'node:os';
import type { HealthCore } from '../../core/health.js';
import { readDeclared } from '../../core/options/declaration.js';
import { drain, type ResolvedDrain } from '../../core/options/drain.js';
import { partOption } from '../../core/options/feature-options.js';
import { requireKnownOptions } from '../../core/options/read-option.js';
import { functionOf, type Rule } from '../../core/options/rules.js';
import type { EndingOptions } from './options.js';

const hooks: Rule<readonly (() => unknown)[]> = {
  expects: 'a list of functions',
  accepts: (value): value is readonly (() => unknown)[] =>
    Array.isArray(value) && value.every((hook) => typeof hook === 'function'),
};
const signalNames: Rule<readonly NodeJS.Signals[]> = {
  expects: 'a list of signals such as SIGTERM',
  accepts: (value): value is readonly NodeJS.Signals[] =>
    Array.isArray(value) && value.every((name) => typeof name === 'string' && name in constants.signals),
};
type Exit = NonNullable<EndingOptions['exit']>;

/** The options that only the call has: functions and lists, which have no variables. */
const callDeclaration = {
  onShutdown: [hooks, []],
  signals: [signalNames, ['SIGTERM', 'SIGINT']],
  exit: [functionOf('the exit code'), undefined],
} as const;

/** The options with their defaults. A timeout that is not set depends on how much time has passed: see limits.ts. */
export interface ResolvedEnding extends ResolvedDrain {
  readonly onShutdown: readonly (() => unknown)[];
  readonly signals: readonly NodeJS.Signals[];
  readonly exit: Exit;
}

const optionOf = (part: string) => partOption(drain, part);

/**
 * The options of a drain: of the call, else of the Health's `drain`, else of the variables. `own` is what only this kind of drain has, `server`
 * or `stop`. Throws for an option that is none of these.
 */
export function resolveEnding(
  health: HealthCore<never>,
  options: EndingOptions,
  own: readonly string[],
): ResolvedEnding {
  const parts = Object.keys(drain.parts).filter((part) => part !== 'delay');
  requireKnownOptions(options, [...own, ...parts, ...Object.keys(callDeclaration)], 'drainOnSignals');
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  const values = readDeclared(
    drain.parts,
    { ...health.options.drain, ...Object.fromEntries(set) },
    { optionOf },
  );
  const { onShutdown, signals, exit: given } = readDeclared(callDeclaration, options);
  // oxlint-disable-next-line typescript/consistent-type-assertions -- its rule saw that it is a function, its type says of what
  const exit = (given as Exit | undefined) ?? ((code) => process.exit(code));
  return { ...values, onShutdown, signals, exit };
}
