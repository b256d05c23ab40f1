import { watchdogUnsupported } from '../core/options/errors.js';
import type { ResolvedWatchdog } from '../core/options/watchdog.js';
import type { LogRecord } from '../core/log.js';
import { host } from '../core/runtime.js';
import { describe } from '../core/scrub/scrub.js';

/** What the door needs of an engine. */
interface Watched {
  readonly options: { readonly watchdog: ResolvedWatchdog | undefined };
  onClose(closed: () => void): void;
  log(record: LogRecord): void;
}

/** Loads the watchdog. The core does not know it: only applications that turn it on load it. */
type LoadWatchdog<Health> = () => Promise<{
  readonly watchLoop: (health: Health, options: ResolvedWatchdog) => unknown;
}>;

/** Starts the watchdog where the options ask for it. */
export function openWatchdog<Health>(health: Health, engine: Watched, load: LoadWatchdog<Health>): void {
  const { watchdog } = engine.options;
  if (watchdog === undefined) return;
  if (host.getBuiltinModule?.('node:worker_threads') === undefined) throw watchdogUnsupported();
  let closed = false;
  engine.onClose(() => (closed = true));
  load()
    .then(({ watchLoop }) => closed || watchLoop(health, watchdog))
    .catch((error: unknown) =>
      engine.log({
        logger: 'health',
        level: 40,
        time: Date.now(),
        fields: {},
        msg: `The watchdog does not watch: ${describe(error)}`,
        error,
      }),
    );
}
