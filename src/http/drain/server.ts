import { type HealthCore, isHealth } from '../../core/health.js';
import { levels } from '../../core/heartbeat/messages.js';
import { appInvalid } from '../../core/options/errors.js';
import { environment, host } from '../../core/runtime.js';
import { within } from '../../core/time.js';
import { Connections } from './connections.js';
import { type Draining, frameworkEnds, type Latch, openDrain, type SteppedDrain } from './ending.js';
import { type DrainOptions, isServer, type ResolvedEnding, resolveEnding, type Server } from './options.js';

/** The draining of a server, in steps. `ends` says who ends the process, for the log. @internal */
export function drainInSteps(
  health: HealthCore<never>,
  options: DrainOptions,
  ends?: (code: number) => string,
): SteppedDrain {
  if (!isHealth(health)) throw appInvalid('a Health', health, 'drainOnSignals(health, { server })');
  const settings = resolveEnding(health, options, ['server', 'delay']);
  const { server } = options;
  if (!isServer(server)) {
    const write = 'drainOnSignals(health, { server: app.listen(listenOptions()) })';
    throw appInvalid('a server', server, write);
  }

  return openDrain(
    server,
    'server',
    health,
    settings,
    (hurry) => drainingOf(server, health, settings, hurry),
    ends,
  );
}

function drainingOf(
  server: Server,
  health: HealthCore<never>,
  settings: ResolvedEnding,
  hurry: Latch,
): Draining {
  const connections = new Connections(server);
  return {
    async leave(reason) {
      // Read now: it depends on the environment at the start of the drain.
      const delay = drainDelayOf(settings.delay, reason);
      const because = delay.why === undefined ? '' : ` (${delay.why})`;
      health.say(levels.info, `Draining (${reason}): the server closes in ${delay.ms} ms${because}`);
      health.leave(settings.failLbheartbeat);
      connections.sendAway();
      await within(hurry.whenSet, delay.ms, undefined);
    },
    async close(limit, onlyEndless) {
      const cut = await connections.close(limit, hurry.whenSet, onlyEndless);
      const why = hurry.isSet ? 'the drain was cut short' : `they took longer than ${limit} ms`;
      return cut === undefined ? [] : [`${cut} were cut off: ${why}`];
    },
    release: () => connections.release(),
  };
}

/** Options of every drain in a settings-style framework: no signals, since the framework receives them, and no way to end the process. */
export const byFramework = { signals: [], exit: frameworkEnds };

/**
 * Draining in settings-style frameworks: the framework receives the signal, waits for `settle` and ends the process itself.
 * None for a framework without a server, or if it is turned off.
 */
export function drainOf(server: unknown, health: HealthCore<never>): SteppedDrain | undefined {
  if (!isServer(server) || health.options.drain === undefined) return undefined;
  return drainInSteps(health, { server, ...byFramework });
}

/** Longer than most load balancers need to notice. */
const usual = 5000;
const developing = /^(?:dev|develop|development|local|test|testing)$/;

/** Loaded when the process drains: this module of Node takes longer to load than the drain. */
const isTerminal = (stream: number): boolean => host.getBuiltinModule?.('node:tty').isatty(stream) === true;

/**
 * The delay of every framework. A delay that was set is kept. Otherwise the process waits for load balancers, also
 * if `NODE_ENV` is not set, as in many containers; not in development, in tests, or on a terminal.
 */
function drainDelayOf(asked: number | undefined, reason: string): { ms: number; why?: string } {
  if (asked !== undefined) return { ms: asked };
  const { NODE_ENV: given = '' } = environment();
  const mode = given.trim().toLowerCase();
  if (developing.test(mode)) return { ms: 0, why: `NODE_ENV is ${mode}` };
  if (mode === '' && (isTerminal(0) || isTerminal(1)))
    return { ms: 0, why: 'NODE_ENV is not set and this is a terminal' };
  // Sent by Ctrl-C.
  if (reason === 'SIGINT' && isTerminal(0)) return { ms: 0, why: 'SIGINT at a terminal' };
  return { ms: usual };
}
