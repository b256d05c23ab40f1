import type { Format, Role } from '../workload.js';

/** A probe of a role on a path, in the words of each format. */
export function probeLines(format: Format, role: Role, path: string): readonly string[] {
  if (format === 'kubernetes' || format === 'cloud-run') {
    const port = format === 'kubernetes' ? ['    port: http'] : [];
    return [`${role}Probe:`, '  httpGet:', `    path: ${path}`, ...port];
  }
  if (format === 'nomad') {
    const restart = role === 'liveness' ? ['  check_restart {', '    limit = 3', '  }'] : [];
    return ['check {', '  type = "http"', `  path = "${path}"`, ...restart, '}'];
  }
  return probeCommand(format, path);
}

/** `lifesign probe` as the health check of a container. */
function probeCommand(format: Format, path: string): readonly string[] {
  const words = ['lifesign', 'probe', ...(path === '/__lbheartbeat__' ? [] : ['--path', path])];
  const list = words.map((word) => `"${word}"`).join(', ');
  if (format === 'compose') return ['healthcheck:', `  test: ["CMD", ${list}]`];
  return format === 'ecs' ? [`"command": ["CMD", ${list}]`] : [`HEALTHCHECK CMD [${list}]`];
}

const seconds = (ms: number) => Math.ceil(ms / 1000);

/** A grace period. */
export function graceLines(format: Format, ms: number): readonly string[] {
  const lines: Partial<Record<Format, string>> = {
    kubernetes: `terminationGracePeriodSeconds: ${seconds(ms)}`,
    compose: `stop_grace_period: ${seconds(ms)}s`,
    ecs: `"stopTimeout": ${seconds(ms)}`,
    nomad: `kill_timeout = "${seconds(ms)}s"`,
  };
  return [lines[format] ?? ''];
}

/** The timeout of a probe. */
export function timeoutLines(format: Format, ms: number): readonly string[] {
  const lines: Readonly<Record<Format, string>> = {
    kubernetes: `timeoutSeconds: ${seconds(ms)}`,
    'cloud-run': `timeoutSeconds: ${seconds(ms)}`,
    compose: `timeout: ${seconds(ms)}s`,
    ecs: `"timeout": ${seconds(ms)}`,
    nomad: `timeout = "${seconds(ms)}s"`,
    dockerfile: `HEALTHCHECK --timeout=${seconds(ms)}s CMD …`,
  };
  return [lines[format]];
}

/** The user that a process should have. */
export function userLines(format: Format): readonly string[] {
  const lines: Readonly<Record<Format, readonly string[]>> = {
    kubernetes: ['securityContext:', '  runAsNonRoot: true', '  runAsUser: 10001', '  runAsGroup: 10001'],
    'cloud-run': ['USER 10001:10001   # in the Dockerfile'],
    compose: ["user: '10001:10001'"],
    ecs: ['"user": "10001:10001"'],
    nomad: ['user = "10001:10001"'],
    dockerfile: ['USER 10001:10001'],
  };
  return lines[format];
}

/** A variable of the environment. */
export function variableLines(format: Format, name: string, value: string): readonly string[] {
  const lines: Readonly<Record<Format, readonly string[]>> = {
    kubernetes: ['env:', `  - name: ${name}`, `    value: '${value}'`],
    'cloud-run': ['env:', `  - name: ${name}`, `    value: '${value}'`],
    compose: ['environment:', `  ${name}: '${value}'`],
    ecs: [`"environment": [{ "name": "${name}", "value": "${value}" }]`],
    nomad: ['env {', `  ${name} = "${value}"`, '}'],
    dockerfile: [`ENV ${name}=${value}`],
  };
  return lines[format];
}

/** How a process is started without a shell between it and its signals. */
export function startLines(format: Format, words: readonly string[]): readonly string[] {
  const list = words.map((word) => JSON.stringify(word)).join(', ');
  const lines: Readonly<Record<Format, string>> = {
    kubernetes: `command: [${list}]`,
    'cloud-run': `command: [${list}]`,
    compose: `command: [${list}]`,
    ecs: `"command": [${list}]`,
    nomad: `args = [${list}]`,
    dockerfile: `CMD [${list}]`,
  };
  return [lines[format]];
}
