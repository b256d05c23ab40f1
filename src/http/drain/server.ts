import { appInvalid } from '../../core/options/errors.js';
import { engineOf, type HealthCore, isHealth } from '../../core/health.js';
import { levels } from '../../core/heartbeat/messages.js';
import type { HealthDrainOptions } from '../../core/options/drain.js';
import { Connections } from './connections.js';
import { isServer, type Server } from './is-server.js';
import { drainDelayOf, waitOut } from './delay.js';
import { type Draining, DrainOnSignals, type DrainTools, type SteppedDrain } from './ending.js';
import type { EndingOptions } from './options.js';
import { resolveEnding } from './resolve.js';
import { watchDrained } from '../node/watch-server.js';

/** Options of draining a server. Those that are set here win over the Health's option `drain` and its variables. */
export interface DrainOptions extends EndingOptions, Pick<HealthDrainOptions, 'delay'> {
  /** The server to drain: of node:http, https or http2. */
  readonly server?: Server;
}

/** The draining of a server, in steps. `ends` says who ends the process, for the log; `first` is a response that has begun before. @internal */
export function drainInSteps(
  health: HealthCore<never>,
  options: DrainOptions,
  ends?: (code: number) => string,
  first?: object,
): SteppedDrain {
  if (!isHealth(health)) throw appInvalid('a Health', health, 'drainOnSignals(health, { server })');
  const settings = resolveEnding(health, options, ['server', 'delay']);
  const { server } = options;
  if (!isServer(server)) {
    const write = 'drainOnSignals(health, { server: app.listen(listenOptions()) })';
    throw appInvalid('a server', server, write);
  }
  const engine = engineOf(health);

  const open = ({ hurry, log }: DrainTools): Draining => {
    watchDrained(engine, server);
    const connections = new Connections(server, first);
    return {
      async leave(reason) {
        // Read now: it depends on the environment at the start of the drain.
        const delay = drainDelayOf(settings.delay, reason);
        const because = delay.why && ` (${delay.why})`;
        log(levels.info, `Draining (${reason}): the server closes in ${delay.ms} ms${because}`);
        engine.leave(settings.failLbheartbeat);
        connections.sendAway();
        if ((await waitOut(delay, hurry.whenSet)) === 'orphaned') {
          log(levels.info, 'The parent process is gone: closing the server now');
        }
      },
      async close(limit, onlyEndless) {
        const cut = await connections.close(limit, hurry.whenSet, onlyEndless);
        if (cut === 'nothing') return [];
        const why = hurry.isSet ? 'the drain was cut short' : `they took longer than ${limit} ms`;
        return [`${cut === 'requests' ? 'Requests' : 'Upgraded connections'} were cut off: ${why}`];
      },
      release: () => connections.release(),
    };
  };
  return new DrainOnSignals(server, 'server', health, settings, open, ends);
}
