import { isAgent, isStore } from '../traits.js';
import type { Probe, Workload } from '../workload.js';
import { probeLines } from './fixes.js';
import { isHeartbeat, ofRole, onlyAnswers, portNumber, restarts, runsChecks } from './paths.js';
import { dependencyIn } from './commands.js';
import type { Rule } from './rule.js';

const kubernetes = 'https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/';

/** The dependency that a liveness probe requests; undefined for none. */
function dependencyOf(probe: Probe, workload: Workload): string | undefined {
  const { path, host, command } = probe;
  if (runsChecks(path) && host === undefined) return `requests ${path}, which runs the checks`;
  if (host !== undefined && restarts(workload)) return `asks another host, ${host}`;
  const other = restarts(workload) && !isStore(workload) ? dependencyIn(command ?? []) : undefined;
  return other === undefined ? undefined : `asks a dependency, ${other}`;
}

/** A container that is restarted by its probe loses nothing but time; by one that queries a database, everything. */
export const livenessChecks: Rule = {
  id: 'liveness-checks',
  level: 'hazard',
  source: kubernetes,
  judge: (workload) =>
    isSwapped(workload)
      ? []
      : ofRole(workload, 'liveness').flatMap((probe) => {
          const does = dependencyOf(probe, workload);
          // Docker itself restarts nothing: only a probe that is known to run the checks is reported.
          if (does === undefined || (!restarts(workload) && !/heartbeat|ready/.test(probe.path ?? '')))
            return [];
          return {
            line: probe.line,
            sentence: restarts(workload)
              ? `The liveness probe ${does}: when a dependency is down, every instance is restarted, and no restart fixes it.`
              : `The health check ${does}: when a dependency is down, the container counts as unhealthy, what waits for it does not start, and a Swarm replaces every instance.`,
            write: probeLines(workload, probe, 'liveness'),
          };
        }),
};

export const probesSwapped: Rule = {
  id: 'probes-swapped',
  level: 'hazard',
  source: kubernetes,
  judge: (workload) =>
    isSwapped(workload)
      ? ofRole(workload, 'liveness').map((probe) => ({
          line: probe.line,
          sentence: `Readiness and liveness are swapped: liveness requests ${probe.path}, which runs the checks, and readiness requests a path that runs none.`,
          write: probeLines(workload, probe, 'liveness'),
        }))
      : [],
};

function isSwapped(workload: Workload): boolean {
  const [readiness, liveness] = [ofRole(workload, 'readiness'), ofRole(workload, 'liveness')];
  return liveness.some(({ path }) => runsChecks(path)) && readiness.some(({ path }) => onlyAnswers(path));
}

export const readinessChecks: Rule = {
  id: 'readiness-checks',
  level: 'hazard',
  source: 'https://aws.amazon.com/builders-library/implementing-health-checks/',
  judge: (workload) =>
    ofRole(workload, 'readiness')
      .map((probe) => ({ probe, asks: sharedOf(probe, workload) }))
      .filter(({ probe, asks }) => asks !== undefined && !sharedWith(workload, probe.path))
      .map(({ probe, asks }) => ({
        line: probe.line,
        sentence: `The readiness probe requests ${asks}, which fails in all instances when a dependency that they share is down: all of them leave the load balancer at once.`,
        write: probeLines(workload, probe, 'readiness'),
      })),
};

/** The shared dependency that a readiness probe requests; undefined for none. */
function sharedOf({ path, command = [] }: Probe, workload: Workload): string | undefined {
  if (isHeartbeat(path)) return path;
  return restarts(workload) && !isStore(workload) ? dependencyIn(command) : undefined;
}

/** The liveness probe on the same path is the greater hazard, and has the same cause. */
const sharedWith = (workload: Workload, path: string | undefined): boolean =>
  path !== undefined && ofRole(workload, 'liveness').some((probe) => probe.path === path);

/** The target of a probe; undefined if unknown. */
function targetOf(probe: Probe, workload: Workload): string | undefined {
  const { kind, path, service, command } = probe;
  if (path?.includes('$') === true) return undefined;
  if (path !== undefined) return JSON.stringify(['http', path, portNumber(probe, workload)]);
  if (kind === 'exec') return JSON.stringify(command);
  return kind === undefined ? undefined : JSON.stringify([kind, service, portNumber(probe, workload)]);
}

/** Until a failing probe acts. */
const patience = ({ period = 0, threshold = 0 }: Probe): number => period * threshold;

export const sameTarget: Rule = {
  id: 'same-target',
  level: 'hazard',
  source: kubernetes,
  judge: (workload) => {
    // A store has one state to read, and its own command for it.
    if (!restarts(workload) || isStore(workload)) return [];
    return ofRole(workload, 'liveness').flatMap((live) => {
      if (dependencyOf(live, workload) !== undefined) return [];
      const target = targetOf(live, workload);
      const ready = ofRole(workload, 'readiness').find(
        (probe) => target !== undefined && targetOf(probe, workload) === target,
      );
      // Kubernetes documents the same cheap path with more patience as a pattern.
      if (ready === undefined || patience(live) >= 2 * patience(ready)) return [];
      return {
        line: live.line,
        sentence: `Liveness and readiness ask the same${live.path === undefined ? '' : ` (${live.path})`}, and liveness is as impatient: an instance that is only overloaded is restarted instead of taken out, and its load goes to the others.`,
        write:
          workload.format === 'kubernetes' || workload.format === 'cloud-run'
            ? patienceLines(live, ready)
            : [],
      };
    });
  },
};

/** A liveness probe that acts twice as late as readiness, and not within seconds. */
function patienceLines(live: Probe, ready: Probe): readonly string[] {
  const period = Math.max(live.period ?? 0, 10_000);
  const failures = Math.max(3, Math.ceil((2 * patience(ready)) / period));
  return [`periodSeconds: ${period / 1000}`, `failureThreshold: ${failures}`];
}

/** Images whose `/` is a file, not an application. */
const fileServers =
  /(?:^|\/)(?:nginx|nginx-unprivileged|httpd|caddy|apache|static-web-server|whoami|echo\S*)(?:[:@]|$)/;

/** Pages and lists of metrics: they cost more than an answer, and may fail by themselves. */
const pages = /^\/$|\/metrics\/?$|\.html?$|\/(?:login|index|home|admin)\/?$/;

export const livenessRoot: Rule = {
  id: 'liveness-root',
  level: 'hazard',
  source: kubernetes,
  judge: (workload) =>
    ofRole(workload, 'liveness')
      .filter(({ path = '', host }) => pages.test(path) && host === undefined && restarts(workload))
      .filter(() => !fileServers.test(workload.image ?? '') && !isAgent(workload))
      .map((probe) => ({
        line: probe.line,
        sentence: probe.path?.includes('metrics')
          ? `The liveness probe requests ${probe.path}, which collects every metric for every probe: it is slow when the service is busy, and the container is restarted.`
          : `The liveness probe requests ${probe.path}, a page for users: it fails with whatever that page needs, redirects, or renders for every probe.`,
        write: probeLines(workload, probe, 'liveness'),
      })),
};
