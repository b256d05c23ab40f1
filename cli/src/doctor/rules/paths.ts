import { timeOf } from '../tree.js';
import type { Probe, Workload } from '../workload.js';

/** Paths that run checks, by their usual names. */
const checking = new RegExp(
  [
    '/__heartbeat__/?$',
    '/(?:readyz?|readiness|ready-?check|is-?ready)/?$',
    '/(?:deep|full|dependencies|deps|detailed|db|database|redis|postgres|mysql|mongo|all)(?:-?(?:check|health))?/?$',
    '/(?:health|healthz|healthcheck|status)[-_](?:deep|full|db|database|detailed|dependencies)/?$',
    '/(?:deep|full|db)-?(?:health|healthz|healthcheck|status)/?$',
    // Spring Boot: it has every indicator, also of the database.
    '/actuator/health/?$',
  ].join('|'),
  'i',
);
/** Paths that only show that the process answers. */
const answering = /\/(?:__lbheartbeat__|livez?|liveness|alive|ping)\/?$/i;

export const runsChecks = (path: string | undefined): boolean => path !== undefined && checking.test(path);
export const onlyAnswers = (path: string | undefined): boolean => path !== undefined && answering.test(path);
export const isHeartbeat = (path: string | undefined): boolean => /\/__heartbeat__\/?$/.test(path ?? '');

export const ofRole = ({ probes }: Workload, role: Probe['role']): readonly Probe[] =>
  probes.filter((probe) => probe.role === role);

/** Whether a failed liveness probe restarts the container: Compose and Docker only mark it. */
export const restarts = ({ format }: Workload): boolean => format !== 'compose' && format !== 'dockerfile';

/** The number of a probe's port: a name is looked up. */
export function portNumber({ port }: Probe, { ports }: Workload): string | undefined {
  return port === undefined ? undefined : (ports.get(port) ?? port);
}

/** Whether a variable is set to a value that is not in these files. */
export function comesFromElsewhere({ env }: Workload, name: string): boolean {
  return env.has(name) && (env.get(name) === undefined || env.get(name)?.includes('$') === true);
}

/** Milliseconds from a variable; undefined if it is not set or comes from elsewhere. */
export function millisecondsOf({ env }: Workload, name: string): number | undefined {
  const text = env.get(name);
  return text === '0' ? 0 : timeOf(text);
}
