import type { Probe, Workload } from '../workload.js';

/** Paths that run checks, by what they are called here and elsewhere. */
const checking = /^\/__heartbeat__\/?$|\/(?:readyz?|readiness|ready-?check)\/?$/i;
/** Paths that tell only that the process answers. */
const answering = /^\/__lbheartbeat__\/?$|\/(?:livez?|liveness|alive|ping)\/?$/i;

export const runsChecks = (path: string | undefined): boolean => path !== undefined && checking.test(path);
export const onlyAnswers = (path: string | undefined): boolean => path !== undefined && answering.test(path);

/** Whether the endpoints of the contract are asked for, or lifesign is set up: only then its defaults are known. */
export function usesLifesign({ probes, env }: Workload): boolean {
  return (
    probes.some(
      ({ path = '', command = [] }) =>
        /\/__(?:lb)?heartbeat__/.test(path) || /\blifesign\b/.test(command.join(' ')),
    ) || [...env.keys()].some((name) => name.startsWith('HEALTH_'))
  );
}

/** The number behind a port of a probe: a name is looked up. */
export function portNumber({ port }: Probe, { ports }: Workload): string | undefined {
  return port === undefined ? undefined : (ports.get(port) ?? port);
}

/** Whether a variable is set, and nobody here can tell to what. */
export function comesFromElsewhere({ env }: Workload, name: string): boolean {
  return env.has(name) && env.get(name) === undefined;
}

/** Milliseconds from a variable; undefined where it is not set or comes from elsewhere. */
export function millisecondsOf({ env }: Workload, name: string): number | undefined {
  const text = env.get(name);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
