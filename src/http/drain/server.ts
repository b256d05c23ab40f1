import { appInvalid } from '../../core/options/errors.js';
import { engineOf, type HealthCore, isHealth } from '../../core/health.js';
import { levels } from '../../core/heartbeat/messages.js';
import { type Declares, readDeclared } from '../../core/options/declaration.js';
import type { Duration } from '../../core/options/duration.js';
import { duration } from '../../core/options/rules.js';
import { Connections, isServer, type Server } from './connections.js';
import { drainDelayOf, waitOut } from './delay.js';
import { type Draining, type DrainTools, endOnSignals, type SteppedDrain } from './ending.js';
import type { EndingOptions } from './options.js';
import { resolveEnding } from './resolve.js';
import { watchDrained } from '../node/watch-server.js';

/** Options of draining. Numbers and booleans are also read from `HEALTH_` + their name in capitals. */
export interface DrainOptions extends EndingOptions {
  /** How long to keep answering after the signal, until load balancers have stopped sending requests. Default 5000; 0 if `NODE_ENV` is `development` or `test`, or is not set and the process runs at a terminal. */
  readonly drainDelay?: Duration;
}

/** @internal */
export const delayDeclaration = {
  drainDelay: [duration, undefined],
} satisfies Declares<Omit<DrainOptions, keyof EndingOptions>>;

/** The draining of a server, in steps. `ends` says who ends the process, for the log. */
export function drainInSteps(
  server: Server,
  health: HealthCore<never>,
  options: DrainOptions,
  ends?: () => string,
): SteppedDrain {
  const { drainDelay: asked } = readDeclared(delayDeclaration, options);
  const settings = resolveEnding(options, Object.keys(delayDeclaration));
  if (!isServer(server)) {
    throw appInvalid('a server', server, 'drainOnSignals(app.listen(listenOptions()), health)');
  }
  if (!isHealth(health)) throw appInvalid('a Health', health, 'drainOnSignals(server, new Health(app))');
  const engine = engineOf(health);

  const open = ({ hurry, log }: DrainTools): Draining => {
    watchDrained(engine, server);
    const connections = new Connections(server);
    return {
      async leave(reason) {
        // Read now: it depends on the environment at the start of the drain.
        const delay = drainDelayOf(asked, reason);
        const because = delay.why && ` (${delay.why})`;
        log(levels.info, `Draining (${reason}): the server closes in ${delay.ms} ms${because}`);
        engine.leave(settings.failLbheartbeat);
        connections.sendAway();
        if ((await waitOut(delay, hurry.asked)) === 'orphaned') {
          log(levels.info, 'The parent process is gone: closing the server now');
        }
      },
      async close(limit, onlyEndless) {
        const cut = await connections.close(limit, hurry.asked, onlyEndless);
        if (cut === 'nothing') return [];
        const why = hurry.isAsked ? 'the drain was cut short' : `they took longer than ${limit} ms`;
        return [`${cut === 'requests' ? 'Requests' : 'Upgraded connections'} were cut off: ${why}`];
      },
      release: () => connections.release(),
    };
  };
  return endOnSignals(server, 'server', health, settings, open, ends);
}
