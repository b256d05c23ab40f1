import type { Call } from '../traits.js';
import { runsNode } from '../traits.js';
import type { Format, Probe, Role, Workload } from '../workload.js';
import { variableLines } from './fields.js';
import { onlyAnswers } from './paths.js';

/** The port of a container, as the file names it: that of the probe if there is one, else the first. */
export function portOf({ ports, env }: Workload, probe?: Probe): string {
  const asked = probe?.port;
  const declared = (port: string) => ports.has(port) || [...ports.values()].includes(port);
  if (asked !== undefined && (ports.size === 0 || declared(asked) || asked.includes('$'))) return asked;
  return ports.keys().next().value ?? env.get('PORT') ?? asked ?? '8000';
}

const isOn = (value: string | undefined): boolean => /^(?:true|1|yes|on)$/i.test(value ?? '');

/** A path of the service that runs no checks: one of lifesign, or one that another probe of the file uses. */
function pathFor(workload: Workload, call: Call, role: Role): string | undefined {
  const { env, probes } = workload;
  if (call.lifesign) {
    const paths = { liveness: '/livez', readiness: '/readyz', startup: '/startupz' };
    return isOn(env.get('HEALTH_PROBES')) ? paths[role] : '/__lbheartbeat__';
  }
  return probes.map(({ path }) => path).find(onlyAnswers);
}

/** A probe that asks nothing but the container: by a path that is served, else by a connection. */
export function liveLines(
  workload: Workload,
  call: Call,
  probe?: Probe,
  role: Role = 'liveness',
): readonly string[] {
  const path = pathFor(workload, call, role);
  return path === undefined
    ? connectionLines(workload, role, probe)
    : probeLines(workload, role, path, probe);
}

/** A readiness probe: of lifesign, on a path that another probe uses, or by a connection. */
export function readyLines(workload: Workload, call: Call, probe?: Probe): readonly string[] {
  const { env, format, probes } = workload;
  if (call.lifesign) {
    const on = isOn(env.get('HEALTH_PROBES')) ? [] : variableLines(format, 'HEALTH_PROBES', 'true');
    return [...on, ...probeLines(workload, 'readiness', '/readyz', probe)];
  }
  const other = probes.find(({ kind, path }) => kind === 'http' && path !== undefined);
  const lines =
    other?.path === undefined
      ? connectionLines(workload, 'readiness', probe)
      : probeLines(workload, 'readiness', other.path, other);
  return format === 'kubernetes' ? [...lines, '  periodSeconds: 5', '  failureThreshold: 2'] : lines;
}

/** A probe that opens a connection. */
function connectionLines(workload: Workload, role: Role, probe?: Probe): readonly string[] {
  const { format } = workload;
  const port = portOf(workload, probe);
  if (format === 'kubernetes' || format === 'cloud-run')
    return [`${role}Probe:`, '  tcpSocket:', `    port: ${port}`];
  if (format === 'nomad')
    return ['check {', '  type = "tcp"', `  port = "${port}"`, ...restartLines(role), '}'];
  const script = `require('net').connect(${port}).on('connect', () => process.exit(0)).on('error', () => process.exit(1))`;
  return commandLines(format, runsNode(workload) ? ['node', '-e', script] : ['nc', '-z', 'localhost', port]);
}

const restartLines = (role: Role): readonly string[] =>
  role === 'liveness' ? ['  check_restart {', '    limit = 3', '  }'] : [];

/** A probe of a role on a path, in the words of each format. */
export function probeLines(workload: Workload, role: Role, path: string, probe?: Probe): readonly string[] {
  const { format, env } = workload;
  const port = portOf(workload, probe);
  if (format === 'kubernetes' || format === 'cloud-run')
    return [`${role}Probe:`, '  httpGet:', `    path: ${path}`, `    port: ${port}`];
  if (format === 'nomad')
    return [
      'check {',
      '  type = "http"',
      `  port = "${port}"`,
      `  path = "${path}"`,
      ...restartLines(role),
      '}',
    ];
  const known = env.get('PORT') ?? '8000';
  return commandLines(format, [
    'lifesign',
    'probe',
    ...(path === '/__lbheartbeat__' ? [] : ['--path', path]),
    ...(port === known || port.includes('$') ? [] : ['--port', port]),
  ]);
}

/** The request of a probe by a program that the image has. */
export function requestLines(workload: Workload, call: Call, probe: Probe): readonly string[] {
  const { format } = workload;
  const { path = '/', port = '80', command = [] } = probe;
  if (call.lifesign) return probeLines(workload, probe.role, path, probe);
  if (!runsNode(workload))
    return [
      'RUN apk add --no-cache curl   # or apt-get install, in the Dockerfile',
      ...commandLines(format, command),
    ];
  const script = `fetch('http://localhost:${port}${path}').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`;
  return commandLines(format, ['node', '-e', script]);
}

/** The health check of a container. */
function commandLines(format: Format, words: readonly string[]): readonly string[] {
  const list = words.map((word) => JSON.stringify(word)).join(', ');
  if (format === 'compose') return ['healthcheck:', `  test: ["CMD", ${list}]`];
  if (format === 'ecs') return [`"command": ["CMD", ${list}]`];
  return format === 'dockerfile' ? [`HEALTHCHECK CMD [${list}]`] : [`command: [${list}]`];
}
