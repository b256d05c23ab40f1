import { constants } from 'node:os';
import { optionInvalid } from '../../core/options/errors.js';
import { readOption } from '../../core/options/options.js';
import { requireKnownOptions } from '../../core/options/read-option.js';
import { flag, optional, type Rule, timeout } from '../../core/options/rules.js';
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
  const settings = {
    failLbheartbeat: readOption(given.failLbheartbeat, 'failLbheartbeat', flag, true),
    drainTimeout: readOption(given.drainTimeout, 'drainTimeout', optional(timeout), undefined),
    onShutdown: readOption(given.onShutdown, 'onShutdown', hooks, []),
    shutdownTimeout: readOption(given.shutdownTimeout, 'shutdownTimeout', optional(timeout), undefined),
    signals: readOption(given.signals, 'signals', signalNames, ['SIGTERM', 'SIGINT']),
    exit,
  };
  requireKnownOptions(given, [...also, ...Object.keys(settings)], 'drainOnSignals');
  return settings;
}
