// Lines to write instead. They are printed only if every value is from the file and they are right as they stand; a rule without such lines says what is wrong.
import { usesLifesign } from '../traits.js';
import type { Format, Probe, Role, Workload } from '../workload.js';

const seconds = (ms: number) => Math.ceil(ms / 1000);

/** A grace period. */
export function graceLines(format: Format, ms: number): readonly string[] {
  const lines: Partial<Record<Format, string>> = {
    kubernetes: `terminationGracePeriodSeconds: ${seconds(ms)}`,
    compose: `stop_grace_period: ${seconds(ms)}s`,
    ecs: `"stopTimeout": ${seconds(ms)}`,
    nomad: `kill_timeout = "${seconds(ms)}s"`,
  };
  return [lines[format] ?? []].flat();
}

/** The timeout of a probe. */
export function timeoutLines(format: Format, ms: number): readonly string[] {
  const lines: Partial<Record<Format, string>> = {
    kubernetes: `timeoutSeconds: ${seconds(ms)}`,
    'cloud-run': `timeoutSeconds: ${seconds(ms)}`,
    compose: `timeout: ${seconds(ms)}s`,
    ecs: `"timeout": ${seconds(ms)}`,
    nomad: `timeout = "${seconds(ms)}s"`,
  };
  return [lines[format] ?? []].flat();
}

/** The entry of a variable of the environment. */
export function variableLines(format: Format, name: string, value: string): readonly string[] {
  const lines: Partial<Record<Format, readonly string[]>> = {
    kubernetes: [`- name: ${name}`, `  value: '${value}'`],
    'cloud-run': [`- name: ${name}`, `  value: '${value}'`],
    ecs: [`{ "name": "${name}", "value": "${value}" }`],
    nomad: [`${name} = "${value}"`],
    dockerfile: [`ENV ${name}=${value}`],
  };
  return lines[format] ?? [];
}

/** A probe like another one, on a path; empty if the other one has more settings, or a port that the container does not declare. */
export function probeLike({ ports }: Workload, { plain, port = '' }: Probe, role: Role, path: string) {
  const isKnown = /^\d+$/.test(port) || ports.has(port);
  return plain === true && isKnown
    ? [`${role}Probe:`, '  httpGet:', `    path: ${path}`, `    port: ${port}`]
    : [];
}

/** The same probe on a path of lifesign that fits its role; only for a service that has lifesign. */
export function probeLines(workload: Workload, probe: Probe, role: Role): readonly string[] {
  const { env, format } = workload;
  const isOn = /^(?:true|1|yes|on)$/i.test(env.get('HEALTH_PROBES') ?? '');
  if (!usesLifesign(workload) || (role === 'readiness' && !isOn)) return [];
  const own = { liveness: '/livez', readiness: '/readyz', startup: '/startupz' }[role];
  const path = isOn ? own : '/__lbheartbeat__';
  const { kind, port, host } = probe;
  if (host !== undefined || kind !== 'http' || port === undefined) return [];
  return format === 'nomad' ? [`path = "${path}"`] : probeLike(workload, probe, role, path);
}
