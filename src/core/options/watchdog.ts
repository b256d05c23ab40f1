import { optionInvalid } from './errors.js';
import { requireKnownOptions } from './read-option.js';
import { integer, timeout, flag } from './rules.js';
import { readOption } from './read-option.js';
import { environment } from '../runtime.js';

/** Options of the watchdog. Each is also read from `HEALTH_WATCHDOG_` + its name in capitals. */
export interface WatchdogOptions {
  /** The port that answers `/__lbheartbeat__` while the event loop is blocked. 0 takes a free one. Default 8001. */
  readonly port?: number | undefined;
  /** Milliseconds after which a blocked event loop is `busy` and logged. Default 1000. */
  readonly busyAfter?: number | undefined;
  /** Milliseconds after which it is `stuck`: the port answers 503. Default 60000. */
  readonly stuckAfter?: number | undefined;
}

/** The same with every default filled in. */
export interface ResolvedWatchdog {
  readonly port: number;
  readonly busyAfter: number;
  readonly stuckAfter: number;
}

const names = ['port', 'busyAfter', 'stuckAfter'];

/** What was given under the name `label`, else the variables; undefined where nobody asks for a watchdog. */
export function readWatchdog(
  given: unknown,
  label = 'watchdog',
  texts = false,
): ResolvedWatchdog | undefined {
  if (texts && typeof given === 'string' && given !== '') {
    return readWatchdog(readOption(given, 'watchdog', flag, false, label, true), label);
  }
  if (given === undefined || (texts && given === ''))
    return isAskedFor() ? resolveWatchdog({}, label) : undefined;
  if (typeof given === 'boolean') return given ? resolveWatchdog({}, label) : undefined;
  return resolveWatchdog(given, label, texts);
}

/** The options of `watchLoop`, checked. */
export function resolveWatchdog(given: unknown, label = 'watchdog', texts = false): ResolvedWatchdog {
  if (!isObject(given)) {
    throw optionInvalid(
      `Option ${label}`,
      given,
      'true, false or an object such as { port: 8001 }',
      'Correct it or leave it out.',
    );
  }
  requireKnownOptions(given, names, label);
  const read = (name: string, rule: typeof timeout, fallback: number) =>
    readOption(
      Reflect.get(given, name),
      `watchdog${capital(name)}`,
      rule,
      fallback,
      `${label}.${name}`,
      texts,
    );
  const busyAfter = read('busyAfter', integer(100, 2 ** 31 - 1, ' of milliseconds'), 1000);
  const stuckAfter = read('stuckAfter', timeout, Math.max(60_000, 2 * busyAfter));
  if (stuckAfter <= busyAfter) {
    throw optionInvalid(
      `Option ${label}.stuckAfter`,
      stuckAfter,
      `more than busyAfter, ${busyAfter}`,
      'Raise it, or leave it out for 60000.',
    );
  }
  return { port: read('port', integer(0, 65_535), 8001), busyAfter, stuckAfter };
}

/** `HEALTH_WATCHDOG=true`, or a port for it. */
function isAskedFor(): boolean {
  const fallback = (environment()['HEALTH_WATCHDOG_PORT'] ?? '') !== '';
  return readOption(undefined, 'watchdog', flag, fallback);
}

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
