import { appInvalid, watchdogTwice, watchdogUnsupported } from '../core/options/errors.js';
import { engineOf, type HealthCore, isHealth } from '../core/health.js';
import type { LoopBlock } from '../core/loop.js';
import { host } from '../core/runtime.js';
import { resolveWatchdog, type WatchdogOptions } from '../core/options/watchdog.js';
import { Watch, watched } from './watch.js';

export type { LoopBlock, WatchdogOptions };

/** A watchdog that runs. */
export interface Watchdog {
  /** Ends its thread and lets its port go. `health.close()` does the same. */
  close(): void;
}

/**
 * Starts a thread beside the event loop. It answers `/__lbheartbeat__` on a port of its own while the loop is blocked, and
 * logs what blocked it.
 *
 * @example watchLoop(health, { port: 8001, busyAfter: 1000, stuckAfter: 60_000 });
 */
export function watchLoop(health: HealthCore<never>, options: WatchdogOptions = {}): Watchdog {
  const resolved = resolveWatchdog(options, 'watchLoop');
  if (host.getBuiltinModule?.('node:worker_threads') === undefined) throw watchdogUnsupported();
  if (watched.state !== undefined) throw watchdogTwice();
  if (!isHealth(health)) throw appInvalid('a Health', health, 'watchLoop(new Health(app))');
  const watch = new Watch(health, resolved);
  let open = true;
  const close = () => {
    if (open) watch.close();
    open = false;
  };
  engineOf(health).onClose(close);
  return { close };
}
