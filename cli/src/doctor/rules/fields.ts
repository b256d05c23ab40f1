import type { Format } from '../workload.js';

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

/** How a process is started without a shell between it and its signals: as it is written, if it is one command. */
export function startLines(format: Format, shell: boolean, words: readonly string[]): readonly string[] {
  const script = shell ? (words[0] ?? '') : (words.findLast((word) => word.includes(' ')) ?? words.join(' '));
  const own = script
    .trim()
    .replace(/^exec\s+/, '')
    .split(/\s+/);
  const runner = /^(?:npm|npx|yarn|pnpm|corepack|sh|bash)$/.test(
    own.find((word) => !/tini|dumb-init|^--?/.test(word)) ?? '',
  );
  // A line of several commands, or with variables, needs its shell until the last of them.
  if (!runner && /[$`;&|<>(){}*?"']/.test(script))
    return [`exec ${own.slice(-2).join(' ')}   # the last command of the line, after exec`];
  const list = (runner ? ['node', 'server.js'] : own).map((word) => JSON.stringify(word)).join(', ');
  const hint = runner ? '   # what the script in package.json runs' : '';
  const mark = format === 'nomad' || format === 'dockerfile' || hint === '' ? '' : hint;
  const lines: Readonly<Record<Format, string>> = {
    kubernetes: `command: [${list}]${mark}`,
    'cloud-run': `command: [${list}]${mark}`,
    compose: `command: [${list}]${mark}`,
    ecs: `"command": [${list}]`,
    nomad: `args = [${list}]`,
    dockerfile: `CMD [${list}]`,
  };
  return [lines[format]];
}
