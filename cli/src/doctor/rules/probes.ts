import type { Probe, Workload } from '../workload.js';
import { probeLines, timeoutLines, variableLines } from './fixes.js';
import { comesFromElsewhere, millisecondsOf, onlyAnswers, portNumber, runsChecks } from './paths.js';
import type { Objection, Rule } from './rule.js';

const ofRole = ({ probes }: Workload, role: Probe['role']) => probes.filter((probe) => probe.role === role);

/** A container that is restarted by its probe loses nothing but time; by one that asks a database, everything. */
export const livenessChecks: Rule = {
  id: 'liveness-checks',
  judge: (workload) =>
    isSwapped(workload)
      ? []
      : ofRole(workload, 'liveness')
          .filter(({ path }) => runsChecks(path))
          .map(({ line, path }) => ({
            line,
            sentence: `The liveness probe requests ${path}, which runs the checks: when a dependency is down, every instance is restarted, and no restart fixes it.`,
            write: probeLines(workload.format, 'liveness', '/__lbheartbeat__'),
          })),
};

export const probesSwapped: Rule = {
  id: 'probes-swapped',
  judge: (workload) =>
    isSwapped(workload)
      ? ofRole(workload, 'liveness').map(({ line, path }) => ({
          line,
          sentence: `Readiness and liveness are swapped: liveness requests ${path}, which runs the checks, and readiness requests a path that runs none.`,
          write: [
            ...probeLines(workload.format, 'liveness', '/__lbheartbeat__'),
            ...probeLines(workload.format, 'readiness', '/__heartbeat__'),
          ],
        }))
      : [],
};

function isSwapped(workload: Workload): boolean {
  const [readiness, liveness] = [ofRole(workload, 'readiness'), ofRole(workload, 'liveness')];
  return liveness.some(({ path }) => runsChecks(path)) && readiness.some(({ path }) => onlyAnswers(path));
}

/** Of a check, where nothing else is configured. */
const checkTimeout = 5000;

export const probeTimeout: Rule = {
  id: 'probe-timeout',
  judge: (workload) => {
    const times = ['HEALTH_HEARTBEAT_TIMEOUT', 'HEALTH_TIMEOUT'];
    if (times.some((name) => comesFromElsewhere(workload, name))) return [];
    const needed =
      millisecondsOf(workload, 'HEALTH_HEARTBEAT_TIMEOUT') ??
      millisecondsOf(workload, 'HEALTH_TIMEOUT') ??
      checkTimeout;
    return workload.probes
      .filter(({ path = '', timeout }) => /^\/__heartbeat__\/?$/.test(path) && timeout < needed)
      .map(({ line, role, timeout }) => ({
        line,
        sentence: `The ${role} probe times out after ${timeout} ms, but the checks it runs may take ${needed} ms: a slow check looks like a dead service, and its message is lost.`,
        write: timeoutLines(workload.format, needed + 1000),
      }));
  },
};

export const probePort: Rule = {
  id: 'probe-port',
  judge: (workload) =>
    workload.probes.flatMap((probe): readonly Objection[] => {
      const port = portNumber(probe, workload);
      const { line, role } = probe;
      if (port === undefined || isListening(port, workload)) return [];
      const listed = [...workload.ports].map(([name, number]) =>
        name === number ? name : `${name} (${number})`,
      );
      return [
        {
          line,
          sentence: `The ${role} probe requests port ${port}, but the container does not declare it${listed.length > 0 ? ` (declared: ${listed.join(', ')})` : ''}.`,
          write: [`port: ${workload.ports.keys().next().value ?? workload.env.get('PORT') ?? 'http'}`],
        },
      ];
    }),
};

/** Whether a port is declared, or is one of those that variables open. Without any word about ports none is wrong. */
function isListening(port: string, workload: Workload): boolean {
  const { ports, env, moreEnv } = workload;
  if (/\$/.test(port)) return true;
  if (ports.size === 0 || moreEnv === true) return ports.has(port) || !/^[a-z]/i.test(port);
  const opened = ['PORT', 'HEALTH_PORT', 'HEALTH_HEALTH_PORT', 'HEALTH_WATCHDOG_PORT', 'HEALTH_METRICS_PORT'];
  return (
    [...ports.values()].includes(port) ||
    opened.some((name) => env.get(name) === port || comesFromElsewhere(workload, name))
  );
}

/** `PORT` says where the application listens. */
export const portMismatch: Rule = {
  id: 'port-mismatch',
  judge: (workload) => {
    const { env, format } = workload;
    const port = env.get('PORT');
    if (port === undefined) return [];
    // Where both are declared, the application has a port for each. Nomad declares them to give them numbers.
    if (format !== 'nomad' && [...workload.ports.values()].includes(port)) return [];
    const others = new Set(
      ['HEALTH_PORT', 'HEALTH_HEALTH_PORT', 'HEALTH_WATCHDOG_PORT'].map((name) => env.get(name)),
    );
    const wrong = workload.probes.find((probe) => {
      const asked = portNumber(probe, workload);
      if (asked === undefined || asked === port || others.has(asked)) return false;
      // Not told twice: a port that nobody has is another rule's.
      return isListening(asked, workload) && !isSamePort(asked, port, workload);
    });
    const asked = wrong && portNumber(wrong, workload);
    if (wrong === undefined || asked === undefined) return [];
    return [
      {
        line: wrong.line,
        sentence: `The application listens on PORT, which is ${port}, but the ${wrong.role} probe requests port ${asked}.`,
        write: variableLines(format, 'PORT', asked),
      },
    ];
  },
};

/** Ports of Nomad have names, and `PORT` may be that of any of them. */
function isSamePort(asked: string, port: string, { ports }: Workload): boolean {
  const [, name = ''] = /^\$\{NOMAD_PORT_(\w+)\}$/.exec(port) ?? [];
  return ports.get(name) === asked || (asked.includes('$') && !port.includes('NOMAD_PORT'));
}

/** A delay is either too short for a bad day or too long for all others. */
const longDelay = 10_000;

export const initialDelay: Rule = {
  id: 'initial-delay',
  judge: (workload) => {
    const { format, probes } = workload;
    // Only these two have a startup probe to write instead.
    if ((format !== 'kubernetes' && format !== 'cloud-run') || probes.some(({ role }) => role === 'startup'))
      return [];
    return ofRole(workload, 'liveness')
      .filter((probe) => (probe.initialDelay ?? 0) >= longDelay)
      .map(({ line, path, initialDelay: delay = 0 }) => ({
        line,
        sentence: `The liveness probe waits ${delay / 1000} s before its first request: a slower start is killed, and a process that hangs early is detected late. A startup probe adapts to both.`,
        write: [
          ...probeLines(format, 'startup', path ?? '/__lbheartbeat__'),
          '  periodSeconds: 2',
          '  failureThreshold: 60',
        ],
      }));
  },
};
