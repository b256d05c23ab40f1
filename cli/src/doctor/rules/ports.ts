import { selects } from '../fronts.js';
import { usesLifesign } from '../traits.js';
import type { Workload } from '../workload.js';
import { comesFromElsewhere, ofRole, portNumber } from './paths.js';
import type { Objection, Rule } from './rule.js';

const kubernetes =
  'https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/';

export const probePort: Rule = {
  id: 'probe-port',
  level: 'hazard',
  source: kubernetes,
  judge: (workload) => {
    const objections = new Map<string, Objection>();
    for (const probe of workload.probes) {
      const port = portNumber(probe, workload);
      const { line, role } = probe;
      if (port === undefined || isListening(port, workload) || objections.has(port)) continue;
      // A number needs no declaration: only of lifesign it is known which ports are open, and of a port of the host that it is not.
      if (/^\d+$/.test(port) && !usesLifesign(workload) && workload.published?.has(port) !== true) continue;
      const listed = [...workload.ports].map(([name, number]) =>
        name === number ? name : `${name} (${number})`,
      );
      objections.set(port, {
        line,
        sentence: `The ${role} probe requests port ${port}, but the container does not declare it${listed.length > 0 ? ` (declared: ${listed.join(', ')})` : ''}.`,
      });
    }
    return [...objections.values()];
  },
};

const openers = ['PORT', 'HEALTH_PORT', 'HEALTH_WATCHDOG_PORT', 'HEALTH_METRICS_PORT'];

/** Whether a port is declared, or is one of those that variables open. Without any word about ports none is wrong. */
function isListening(port: string, workload: Workload): boolean {
  const { ports, env, moreEnv } = workload;
  if (/\$/.test(port) || [...ports.values()].some((number) => number.includes('$'))) return true;
  if (ports.size === 0 || moreEnv === true) return ports.has(port) || !/^[a-z]/i.test(port);
  // The agent of Istio answers for the container.
  if (/^1502[01]$/.test(port)) return true;
  // Any variable may open a port of its own: ADMIN_PORT, MANAGEMENT_PORT.
  const opened = [...env].some(
    ([name, value]) => /PORT|ADDR|LISTEN|BIND/.test(name) && value?.endsWith(port),
  );
  return (
    [...ports.values()].includes(port) ||
    opened ||
    watchdogPort(workload) === port ||
    openers.some((name) => comesFromElsewhere(workload, name))
  );
}

/** `PORT` is the port on which the application listens. */
export const portMismatch: Rule = {
  id: 'port-mismatch',
  level: 'hazard',
  source: kubernetes,
  judge: (workload) => {
    const { env, format } = workload;
    const port = env.get('PORT');
    if (port === undefined || (format !== 'nomad' && port.includes('$'))) return [];
    // If both are declared, the application has a port for each. Nomad declares them to give them numbers.
    if (format !== 'nomad' && [...workload.ports.values()].includes(port)) return [];
    const others = new Set([
      ...['HEALTH_PORT', 'HEALTH_METRICS_PORT'].map((name) => env.get(name)),
      watchdogPort(workload),
    ]);
    const wrong = workload.probes.find((probe) => {
      const asked = portNumber(probe, workload);
      if (asked === undefined || asked === port || others.has(asked) || probe.host !== undefined)
        return false;
      // Not reported twice: a port that nothing serves is another rule's.
      return isListening(asked, workload) && !isSamePort(asked, port, workload);
    });
    const asked = wrong && portNumber(wrong, workload);
    if (wrong === undefined || asked === undefined) return [];
    return {
      line: wrong.line,
      sentence: `The application listens on PORT, which is ${port}, but the ${wrong.role} probe requests port ${asked}.`,
    };
  },
};

/** Ports of Nomad have names, and `PORT` may be any of them. */
function isSamePort(asked: string, port: string, { ports }: Workload): boolean {
  const [, name = ''] = /^\$\{NOMAD_PORT_(\w+)\}$/.exec(port) ?? [];
  return ports.get(name) === asked || (asked.includes('$') && !port.includes('NOMAD_PORT'));
}

/** The port of the watchdog; undefined if it is off or unknown. */
function watchdogPort({ env }: Workload): string | undefined {
  const port = env.get('HEALTH_WATCHDOG_PORT');
  return port ?? (/^(?:true|1|yes|on)$/i.test(env.get('HEALTH_WATCHDOG') ?? '') ? '8001' : undefined);
}

export const watchdogProbe: Rule = {
  id: 'watchdog-probe',
  level: 'hazard',
  source: 'https://nodejs.org/en/learn/asynchronous-work/dont-block-the-event-loop',
  judge: (workload) => {
    const port = watchdogPort(workload);
    if (port === undefined || port === '0' || port.includes('$')) return [];
    return ofRole(workload, 'liveness').flatMap((probe) => {
      const asked = portNumber(probe, workload);
      if (asked === undefined || asked === port || asked.includes('$') || probe.host !== undefined) return [];
      const named = [...workload.ports].find(([, number]) => number === port)?.[0] ?? port;
      return {
        line: probe.line,
        sentence: `The watchdog answers on port ${port}, but the liveness probe asks the application on ${asked}: an event loop that is only busy does not answer there, and the container is restarted.`,
        ...(named !== undefined &&
          (workload.format === 'kubernetes' || workload.format === 'cloud-run') && {
            write: ['livenessProbe:', '  httpGet:', '    path: /livez', `    port: ${named}`],
          }),
      };
    });
  },
};

export const grpcProbe: Rule = {
  id: 'grpc-probe',
  level: 'hazard',
  source: `${kubernetes}#define-a-grpc-liveness-probe`,
  judge: (workload) =>
    workload.probes.flatMap((probe) => {
      const { kind, port = '', role, line } = probe;
      const number = portNumber(probe, workload) ?? port;
      const names = [...workload.ports].flatMap(([name, each]) => (each === number ? [name] : []));
      const isGrpc =
        [port, ...names].some((name) => /^grpc(?:-|$)|-grpc$/.test(name)) &&
        !/web|gateway|metrics/.test(names.join());
      if (workload.format !== 'kubernetes') return [];
      if (kind === 'grpc' && !/^\d+$|\$/.test(port))
        return {
          line,
          sentence: `A gRPC probe takes a port by its number, not by its name (${port}): Kubernetes refuses the manifest.`,
          write: [`${role}Probe:`, '  grpc:', `    port: ${number}`],
        };
      if (kind === 'http' && isGrpc)
        return {
          line,
          sentence: `The ${role} probe sends an HTTP/1.1 request to the gRPC port ${number}, which does not answer it.`,
        };
      return kind === 'tcp' && isGrpc
        ? [
            {
              line,
              sentence: `The ${role} probe only opens a connection to the gRPC port ${number}: it passes while the service answers no call.`,
            },
          ]
        : [];
    }),
};

/** A Service that names a port which no container of its pods has loses its requests. */
export const servicePort: Rule = {
  id: 'service-port',
  level: 'hazard',
  source: 'https://kubernetes.io/docs/concepts/services-networking/service/#field-spec-ports',
  judge: ({ labels = new Map(), podPorts, format, ...workload }, { fronts }) => {
    if (format !== 'kubernetes' || podPorts === undefined) return [];
    const declared = [...podPorts].flat();
    // A number needs no declaration, but one that the manifest names nowhere is a mistake.
    const rest = JSON.stringify([[...workload.env.values()], workload.start, workload.probes]);
    const isServed = (port: string) =>
      declared.includes(port) ||
      port.includes('$') ||
      (/^\d+$/.test(port) &&
        (declared.length === 0 ||
          workload.moreEnv === true ||
          declared.some((one) => one.includes('$')) ||
          new RegExp(`(?<!\\d)${port}(?!\\d)`).test(rest)));
    return fronts
      .filter((front) => selects(front, labels))
      .flatMap(({ name, targets = [] }) =>
        targets
          .filter(({ port }) => !isServed(port))
          .map(({ port, line, file }) => ({
            line,
            file,
            sentence: `${name} sends its requests to the port ${port}, which no container of its pods declares${podPorts.size === 0 ? '' : ` (declared: ${[...podPorts.keys()].join(', ')})`}: they are refused.`,
          })),
      );
  },
};
