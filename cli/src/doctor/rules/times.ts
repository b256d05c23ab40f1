import type { Format, Probe } from '../workload.js';
import { probeLike, timeoutLines } from './fixes.js';
import { comesFromElsewhere, isHeartbeat, millisecondsOf, ofRole, restarts } from './paths.js';
import type { Rule } from './rule.js';

const kubernetes =
  'https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/';
const docker = 'https://docs.docker.com/reference/dockerfile/#healthcheck';

/** Processors: with less, a limit holds a process back for most of each second. */
const leastCpu = 0.1;
/** Of a check, if nothing else is configured. */
const checkTimeout = 5000;

export const probeTimeout: Rule = {
  id: 'probe-timeout',
  level: 'advice',
  source: kubernetes,
  judge: (workload) => {
    const { cpu = Infinity, probes, format } = workload;
    const slow = probes
      .filter(({ timeout, kind }) => cpu < leastCpu && timeout <= 1000 && kind !== 'tcp')
      .map(({ line, role }) => ({
        line,
        sentence: `The ${role} probe waits 1 s for a container that gets ${Math.round(cpu * 1000)} thousandths of a processor: it is held back for longer than that whenever it has something to do.`,
        write: timeoutLines(format, 5000),
      }));
    if (comesFromElsewhere(workload, 'HEALTH_TIMEOUT')) return slow;
    const needed = millisecondsOf(workload, 'HEALTH_TIMEOUT') ?? checkTimeout;
    // On the other probes the heartbeat itself is the mistake.
    const heartbeats = ofRole(workload, 'startup')
      .filter(({ path, timeout }) => isHeartbeat(path) && timeout < needed)
      .map(({ line, role, timeout }) => ({
        line,
        sentence: `The ${role} probe times out after ${timeout} ms, but the checks it runs may take ${needed} ms: a slow check looks like a dead service, and its message is lost.`,
        write: timeoutLines(format, needed + 1000),
      }));
    return [...slow, ...heartbeats];
  },
};

/** Milliseconds that a process may be silent: a collection of garbage or a full disk takes some. */
const leastSilence = 10_000;
/** How long a process may be silent before it is restarted. */
const tolerated = ({ period = Number.NaN, threshold = Number.NaN, timeout }: Probe): number =>
  (threshold - 1) * Math.max(period, timeout) + timeout;

export const restartFast: Rule = {
  id: 'restart-fast',
  level: 'hazard',
  source: kubernetes,
  judge: (workload) => {
    if (!restarts(workload)) return [];
    const starting = ofRole(workload, 'startup')
      .filter((probe) => tolerated(probe) + (probe.initialDelay ?? 0) < leastSilence)
      .map((probe) => ({
        line: probe.line,
        sentence: `The startup probe kills the container if it has not started after ${shown(tolerated(probe) + (probe.initialDelay ?? 0))}: a cold start on a busy node takes longer, and it never gets up.`,
        write: ['periodSeconds: 2', 'failureThreshold: 60'],
      }));
    const running = ofRole(workload, 'liveness')
      .filter((probe) => tolerated(probe) < leastSilence)
      .map((probe) => ({
        line: probe.line,
        sentence: `The container is restarted after ${shown(tolerated(probe))} without an answer (${probe.threshold} ${probe.threshold === 1 ? 'failure' : 'failures'}, one request each ${shown(probe.period ?? 0)}): a pause under load is enough, and the others get its requests.`,
        write: patienceLines(workload.format),
      }));
    return [...starting, ...running];
  },
};

const shown = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

function patienceLines(format: Format): readonly string[] {
  if (format === 'nomad') return ['interval = "10s"', 'check_restart {', '  limit = 3', '}'];
  return format === 'ecs' ? ['"interval": 10', '"retries": 3'] : ['periodSeconds: 10', 'failureThreshold: 3'];
}

/** A delay is either too short for a bad day or too long for all others; one of readiness only delays requests. */
const longDelay = { liveness: 10_000, readiness: 60_000 };

export const initialDelay: Rule = {
  id: 'initial-delay',
  level: 'advice',
  source: kubernetes,
  judge: (workload) => {
    const { format, probes } = workload;
    // Only these two have a startup probe to write instead.
    if (format !== 'kubernetes' && format !== 'cloud-run') return [];
    const isAdaptive = probes.some(({ role }) => role === 'startup');
    return probes.flatMap((probe) => {
      const { role, line, initialDelay: delay = 0, path } = probe;
      if (role === 'startup' || !(delay >= (isAdaptive ? 5000 : longDelay[role]))) return [];
      const wait = `The ${role} probe waits ${shown(delay)} before its first request`;
      const because = isAdaptive
        ? `${wait} although a startup probe holds it back: an instance is without it for that long.`
        : role === 'readiness'
          ? `${wait}: an instance that is ready earlier gets no requests, and every rollout takes that long for each.`
          : `${wait}: a slower start is killed, and a process that hangs early is detected late. A startup probe adapts to both.`;
      const startup = path === undefined ? [] : probeLike(workload, probe, 'startup', path);
      const write =
        isAdaptive || role === 'readiness' || startup.length === 0
          ? []
          : [...startup, '  periodSeconds: 2', '  failureThreshold: 60'];
      return [{ line, sentence: because, write }];
    });
  },
};

/** Kubernetes refuses any other value for the two probes that act on failures only. */
export const successThreshold: Rule = {
  id: 'success-threshold',
  level: 'hazard',
  source: kubernetes,
  judge: ({ probes }) =>
    probes
      .filter(({ role, successes = 1 }) => role !== 'readiness' && successes > 1)
      .map(({ role, line, successes }) => ({
        line,
        sentence: `The successThreshold of the ${role} probe is ${successes}, and Kubernetes refuses every value but 1: the manifest is not applied.`,
        write: ['successThreshold: 1'],
      })),
};

/** Milliseconds between two starts of a runtime, which takes some tenths of a second of CPU each. */
const leastExecPeriod = 5000;

export const execProbe: Rule = {
  id: 'exec-probe',
  level: 'advice',
  source: 'https://kubernetes.io/docs/concepts/workloads/pods/probes/',
  judge: (workload) =>
    workload.probes
      .filter(
        ({ command = [], period = Number.NaN }) => period < leastExecPeriod && starter.test(command[0] ?? ''),
      )
      .map(({ role, line, command = [], period = 0 }) => ({
        line,
        sentence: `The ${role} probe starts ${command[0]} every ${shown(period)}: each start takes some tenths of a second of CPU from the service.`,
      })),
};

const starter = /^(?:\/\S*\/)?(?:node|npx|npm|python\d?|ruby|java|php)$/;

const longInterval = 30_000;

export const startInterval: Rule = {
  id: 'start-interval',
  level: 'advice',
  source: docker,
  judge: ({ format, probes, awaited }) => {
    if (format !== 'compose' && format !== 'dockerfile') return [];
    const lines = (period: string, interval: string) =>
      format === 'compose' ? [`start_period: ${period}`, `start_interval: ${interval}`] : [];
    return probes.flatMap((probe) => {
      const { line, startInterval: every, initialDelay: start = 0, period = 0, threshold = 0 } = probe;
      if (every !== undefined && start === 0) {
        return {
          line,
          sentence: 'The start interval has no effect, because there is no start period.',
          write: lines('60s', shown(every).replace(' ', '')),
        };
      }
      if (awaited === true && start === 0 && every === undefined && period * threshold < longInterval)
        return {
          line,
          sentence: `The service counts as unhealthy ${shown(period * threshold)} after its start, because there is no start period: what waits for it fails if it starts slower.`,
          write: lines('60s', '2s'),
        };
      if (awaited !== true || every !== undefined || !(period >= longInterval)) return [];
      return {
        line,
        sentence: `The first check comes ${shown(period)} after the start, so what waits for this service to be healthy starts that late.`,
        write: lines('60s', '2s'),
      };
    });
  },
};
