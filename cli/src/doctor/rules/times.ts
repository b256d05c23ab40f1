import type { Format, Probe } from '../workload.js';
import { timeoutLines } from './fields.js';
import { liveLines, probeLines } from './fixes.js';
import { comesFromElsewhere, isHeartbeat, millisecondsOf, ofRole, restarts } from './paths.js';
import type { Rule } from './rule.js';

const kubernetes =
  'https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/';
const docker = 'https://docs.docker.com/reference/dockerfile/#healthcheck';

/** Of a check, if nothing else is configured. */
const checkTimeout = 5000;

export const probeTimeout: Rule = {
  id: 'probe-timeout',
  level: 'advice',
  source: kubernetes,
  judge: (workload) => {
    const times = ['HEALTH_HEARTBEAT_TIMEOUT', 'HEALTH_TIMEOUT'];
    if (times.some((name) => comesFromElsewhere(workload, name))) return [];
    const needed =
      millisecondsOf(workload, 'HEALTH_HEARTBEAT_TIMEOUT') ??
      millisecondsOf(workload, 'HEALTH_TIMEOUT') ??
      checkTimeout;
    // On the other probes the heartbeat itself is the mistake.
    return ofRole(workload, 'startup')
      .filter(({ path, timeout }) => isHeartbeat(path) && timeout < needed)
      .map(({ line, role, timeout }) => ({
        line,
        sentence: `The ${role} probe times out after ${timeout} ms, but the checks it runs may take ${needed} ms: a slow check looks like a dead service, and its message is lost.`,
        write: timeoutLines(workload.format, needed + 1000),
      }));
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
  judge: (workload) =>
    restarts(workload)
      ? ofRole(workload, 'liveness')
          .filter((probe) => tolerated(probe) < leastSilence)
          .map((probe) => ({
            line: probe.line,
            sentence: `The container is restarted after ${shown(tolerated(probe))} without an answer (${probe.threshold} ${probe.threshold === 1 ? 'failure' : 'failures'}, one request each ${shown(probe.period ?? 0)}): a pause under load is enough, and the others get its requests.`,
            write: patienceLines(workload.format),
          }))
      : [],
};

const shown = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

function patienceLines(format: Format): readonly string[] {
  if (format === 'nomad') return ['interval = "10s"', 'check_restart {', '  limit = 3', '}'];
  return format === 'ecs' ? ['"interval": 10', '"retries": 3'] : ['periodSeconds: 10', 'failureThreshold: 3'];
}

export const timeoutOverPeriod: Rule = {
  id: 'timeout-over-period',
  level: 'advice',
  source: kubernetes,
  judge: (workload) => {
    // Docker counts the interval from the end of the last check.
    if (!restarts(workload) || workload.format === 'ecs') return [];
    return workload.probes
      .filter(({ timeout, period = Number.NaN }) => timeout > period)
      .map(({ line, role, timeout, period = 0 }) => ({
        line,
        sentence: `The ${role} probe may take ${shown(timeout)}, longer than its period of ${shown(period)}: a request that hangs delays the next, so that failures are counted later than the period says.`,
        write: timeoutLines(workload.format, period),
      }));
  },
};

/** A delay is either too short for a bad day or too long for all others. */
const longDelay = 10_000;

export const initialDelay: Rule = {
  id: 'initial-delay',
  level: 'advice',
  source: kubernetes,
  judge: (workload, call) => {
    const { format, probes } = workload;
    // Only these two have a startup probe to write instead.
    if ((format !== 'kubernetes' && format !== 'cloud-run') || probes.some(({ role }) => role === 'startup'))
      return [];
    return ofRole(workload, 'liveness')
      .filter((probe) => (probe.initialDelay ?? 0) >= longDelay)
      .map((probe) => ({
        line: probe.line,
        sentence: `The liveness probe waits ${(probe.initialDelay ?? 0) / 1000} s before its first request: a slower start is killed, and a process that hangs early is detected late. A startup probe adapts to both.`,
        write: [
          ...(probe.kind === 'http' && probe.path !== undefined
            ? probeLines(workload, 'startup', probe.path, probe)
            : liveLines(workload, call, probe, 'startup')),
          '  periodSeconds: 2',
          '  failureThreshold: 60',
        ],
      }));
  },
};

const longInterval = 30_000;

export const startInterval: Rule = {
  id: 'start-interval',
  level: 'advice',
  source: docker,
  judge: ({ format, probes, awaited }) => {
    if (format !== 'compose' && format !== 'dockerfile') return [];
    const lines = (period: string, interval: string) =>
      format === 'compose'
        ? [`start_period: ${period}`, `start_interval: ${interval}`]
        : [`HEALTHCHECK --start-period=${period} --start-interval=${interval} CMD …`];
    return probes.flatMap(({ line, startInterval: every, initialDelay: start = 0, period = 0 }) => {
      if (every !== undefined && start === 0) {
        return [
          {
            line,
            sentence: 'The start interval has no effect, because there is no start period.',
            write: lines('60s', shown(every).replace(' ', '')),
          },
        ];
      }
      if (awaited !== true || every !== undefined || !(period >= longInterval)) return [];
      return [
        {
          line,
          sentence: `The first check comes ${shown(period)} after the start, so what waits for this service to be healthy starts that late.`,
          write: lines('60s', '2s'),
        },
      ];
    });
  },
};
