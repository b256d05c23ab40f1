import { constants } from 'node:os';
import { optionInvalid } from '../../core/options/errors.js';
import { type Declares, readDeclared } from '../../core/options/declaration.js';
import { requireKnownOptions } from '../../core/options/read-option.js';
import { flag, type Rule, timeout } from '../../core/options/rules.js';
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

/** The options of every draining that are read from variables or lists; `exit` is a function of its own. @internal */
export const endingDeclaration = {
  failLbheartbeat: [flag, true],
  drainTimeout: [timeout, undefined],
  onShutdown: [hooks, []],
  shutdownTimeout: [timeout, undefined],
  signals: [signalNames, ['SIGTERM', 'SIGINT']],
} satisfies Declares<Omit<EndingOptions, 'exit'>>;

/** The options with their defaults. A timeout that is not set depends on how much time has passed: see limits.ts. */
export type ResolvedEnding = Required<Omit<EndingOptions, 'drainTimeout' | 'shutdownTimeout'>> & {
  readonly drainTimeout: number | undefined;
  readonly shutdownTimeout: number | undefined;
};

/** Fills in the defaults. Throws for an option that is neither one of these nor named by `also`. */
export function resolveEnding(given: EndingOptions, also: readonly string[]): ResolvedEnding {
  const { exit = (code) => process.exit(code) } = given;
  if (typeof exit !== 'function') {
    throw optionInvalid(
      'Option exit',
      exit,
      'a function that takes the exit code',
      'Fix it, or omit it to use process.exit.',
    );
  }
  const settings = { ...readDeclared(endingDeclaration, given), exit };
  requireKnownOptions(given, [...also, ...Object.keys(settings)], 'drainOnSignals');
  return settings;
}
