import { appInvalid, watchdogUnsupported } from '../core/options/errors.js';
import { watchdogTwice } from './errors.js';
import { engineOf, type HealthCore, isHealth } from '../core/health.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import { host } from '../core/runtime.js';
import type { WatchdogOptions } from '../core/options/watchdog.js';
import { resolveWatchdog } from './options.js';
import { Watch, watched } from './watch.js';

/** A running watchdog. */
export interface Watchdog {
  /** Ends its thread and closes its port. `health.close()` does the same. */
  close(): void;
}

/**
 * Starts a thread beside the event loop. It answers `/__lbheartbeat__` on its own port while the loop is blocked, and
 * logs the code that blocked it.
 *
 * @example watchLoop(health, { port: 8001, busyAfter: 1000, stuckAfter: 60_000 });
 */
export function watchLoop(health: HealthCore<never>, options: WatchdogOptions = {}): Watchdog {
  const resolved = resolveWatchdog(options, 'watchLoop');
  if (host.getBuiltinModule?.('node:worker_threads') === undefined) throw watchdogUnsupported();
  if (watched.state !== undefined) throw watchdogTwice();
  if (!isHealth(health)) throw appInvalid('a Health', health, 'watchLoop(new Health(app))');
  const place = placeOf(health);
  const watch = new Watch(health, resolved);
  place.watch = watch;
  watch.leave(place.refusing);
  watch.wedge(place.wedged);
  return {
    close() {
      if (place.watch === watch) place.close();
    },
  };
}

/** The watchdog of each Health: one feature of it, however often that is closed and started again. */
class Place {
  watch: Watch | undefined;
  refusing = false;
  /** Why `/livez` fails, if it does. */
  wedged: string | undefined;

  onLeave(refusing: boolean): void {
    this.refusing = refusing;
    this.watch?.leave(refusing);
  }

  onVerdict({ live, checks }: VerdictChange): void {
    const own = checks.filter(({ scope }) => scope === 'instance');
    const why = own.map(({ name, evidence }) => `${name}: ${evidence}`).join('; ');
    this.wedged = live === 'fail' ? `livez fails: ${why}` : undefined;
    this.watch?.wedge(this.wedged);
  }

  close(): void {
    this.watch?.close();
    this.watch = undefined;
  }
}

const places = new WeakMap<HealthCore<never>, Place>();

function placeOf(health: HealthCore<never>): Place {
  const known = places.get(health);
  if (known !== undefined) return known;
  const place = new Place();
  engineOf(health).addFeature(place);
  places.set(health, place);
  return place;
}
