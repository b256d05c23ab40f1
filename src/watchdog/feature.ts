import { LifesignError, watchdogUnsupported } from '../core/options/errors.js';
import type { ResolvedWatchdog } from '../core/options/watchdog.js';
import type { LogRecord } from '../core/log.js';
import { attempt, host } from '../core/runtime.js';
import { describe } from '../core/scrub/scrub.js';

/** The part of an engine that is used to start it. */
interface Watched {
  readonly options: { readonly watchdog: ResolvedWatchdog | undefined };
  onClose(closed: () => void): void;
  log(record: LogRecord): void;
}

/** The code of the watchdog. The core does not know it: only applications that turn it on load it. */
interface Room<Health> {
  readonly watchLoop: (health: Health, options: ResolvedWatchdog) => unknown;
}

/** Starts the watchdog if the options ask for it. */
export function startWatchdog<Health>(
  health: Health,
  engine: Watched,
  load: () => Promise<Room<Health>>,
  /** The address of this code. */
  here: string = import.meta.url,
): void {
  const { watchdog } = engine.options;
  if (watchdog === undefined) return;
  if (host.getBuiltinModule?.('node:worker_threads') === undefined) throw watchdogUnsupported();
  const failed = (error: unknown) => {
    const msg = `The watchdog is not running: ${describe(error)}`;
    const fields = { ...(error instanceof LifesignError && { code: error.code }) };
    engine.log({ logger: 'health', level: 40, time: Date.now(), fields, msg, error });
  };
  const room = attempt(() => roomNow<Health>(here));
  if (room === undefined) {
    let closed = false;
    engine.onClose(() => (closed = true));
    load()
      .then(({ watchLoop }) => closed || watchLoop(health, watchdog))
      .catch(failed);
    return;
  }
  try {
    room.watchLoop(health, watchdog);
  } catch (error) {
    failed(error);
  }
}

/**
 * The room without waiting for it, so that a block of the very first turn is seen too: `require` loads the same instance of
 * the module as `import()`. Undefined if this file is part of a user's bundle, which has the code elsewhere.
 */
function roomNow<Health>(here: string): Room<Health> | undefined {
  if (!/[\\/]dist[\\/](?:cjs[\\/])?chunks[\\/]profile\.js$/.test(here)) return undefined;
  const require = host.getBuiltinModule?.('node:module').createRequire(here);
  const room: Room<Health> | undefined = require?.('../watchdog/index.js');
  return typeof room?.watchLoop === 'function' ? room : undefined;
}
