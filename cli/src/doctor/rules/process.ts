import type { Workload } from '../workload.js';
import { graceLines, probeLines, startLines, userLines, variableLines } from './fixes.js';
import { comesFromElsewhere, millisecondsOf, usesLifesign } from './paths.js';
import type { Rule } from './rule.js';

/** What draining takes by default: as in src/http/drain/limits.ts. */
const drain = { delay: 5000, server: 8000, whole: 9000, leastTimeout: 3000, leastShutdown: 1000 };

/** The delay, the requests in progress, and onShutdown. */
function drainTakes(
  delay = drain.delay,
  timeout = Math.max(drain.leastTimeout, drain.server - delay),
  shutdown = Math.max(drain.leastShutdown, drain.whole - delay - timeout),
): number {
  return delay + timeout + shutdown;
}

export const gracePeriod: Rule = {
  id: 'grace-period',
  judge: (workload) => {
    const { grace, format, line } = workload;
    if (grace === undefined || !usesLifesign(workload)) return [];
    const times = ['HEALTH_DRAIN_DELAY', 'HEALTH_DRAIN_TIMEOUT', 'HEALTH_SHUTDOWN_TIMEOUT'];
    if (times.some((name) => comesFromElsewhere(workload, name))) return [];
    const needed = drainTakes(...times.map((name) => millisecondsOf(workload, name)));
    if (grace.ms >= needed) return [];
    const said = grace.line === undefined ? 'by default' : 'here';
    return [
      {
        line: grace.line ?? line,
        sentence: `The platform kills the process ${grace.ms / 1000} s after SIGTERM (${said}), but draining takes up to ${needed / 1000} s: requests in progress are cut off.`,
        write: graceLines(format, needed + 10_000),
      },
    ];
  },
};

/** Proxies learn late that an instance is leaving: who closes at once refuses what they still send. */
export const drainDelay: Rule = {
  id: 'drain-delay',
  judge: (workload) => {
    const { preStop, format, line } = workload;
    if (preStop === true || millisecondsOf(workload, 'HEALTH_DRAIN_DELAY') !== 0) return [];
    return [
      {
        line,
        sentence:
          'HEALTH_DRAIN_DELAY is 0 and there is no preStop hook: load balancers still send requests after the server has closed, and those are refused.',
        write: variableLines(format, 'HEALTH_DRAIN_DELAY', '5000'),
      },
    ];
  },
};

/** What is in common images: of the rest nothing is said. */
const withoutTools =
  /distroless|^scratch$|chainguard|^node:.*slim|^node:.*alpine|^(?:alpine|debian|ubuntu)(?::|$)/;
/** Where Docker looks when no registry is named. */
const usualRegistry = /^(?:docker\.io\/)?(?:library\/)?/;
const withWget = /alpine/;

export const healthcheckTool: Rule = {
  id: 'healthcheck-tool',
  judge: ({ probes, image = '', format, tools = [] }) =>
    probes.flatMap(({ command = [], line, role, path }) => {
      const tool = /(?:^|[\s"'/])(curl|wget)(?=\s|$)/.exec(command.join(' '))?.[1];
      const known = withoutTools.test(image.replace(usualRegistry, ''));
      if (tool === undefined || !known || tools.includes(tool) || (tool === 'wget' && withWget.test(image)))
        return [];
      return [
        {
          line,
          sentence: `The ${role} probe runs ${tool}, which ${image} does not have: the container is never healthy.`,
          write: probeLines(format, 'liveness', path ?? '/__lbheartbeat__'),
        },
      ];
    }),
};

const init = /^(?:\/\S*\/)?(?:tini|dumb-init|catatonit|s6-svscan)$/;
const runners = /^(?:\/\S*\/)?(npm|npx|yarn|pnpm|corepack)$/;
const entrypoint = /(?:^|\/)(?:docker-)?entrypoint(?:\.sh)?$/;
const shells = /^(?:\/\S*\/)?(?:sh|bash|ash|dash|zsh)$/;

export const signalsSwallowed: Rule = {
  id: 'signals-swallowed',
  judge: ({ start, format }) => {
    if (start === undefined) return [];
    const swallower = swallowerOf(start.shell, start.words);
    if (swallower === undefined) return [];
    return [
      {
        line: start.line,
        sentence: `${swallower} is the first process and receives SIGTERM: the application never gets the signal, does not drain, and is killed.`,
        write: startLines(format, ['node', 'server.js']),
      },
    ];
  },
};

/** Who stands between the platform and the application; undefined for nobody. */
function swallowerOf(shell: boolean, words: readonly string[]): string | undefined {
  const [first = '', ...rest] = words;
  if (shell) {
    // A shell that becomes the application is out of the way.
    const line = first.trim();
    if (/^exec\s/.test(line)) return swallowerOf(false, line.split(/\s+/).slice(1));
    return `A shell (the form without brackets: ${line.length > 60 ? `${line.slice(0, 60)}…` : line})`;
  }
  if (init.test(first)) {
    const inner = rest.filter((word) => !word.startsWith('-'));
    return rest.includes('-g') ? undefined : swallowerOf(false, inner);
  }
  // By convention such a script ends with exec "$@".
  if (entrypoint.test(first) && rest.length > 0) return swallowerOf(false, rest);
  const [, runner] = runners.exec(first) ?? [];
  if (runner !== undefined) return runner;
  if (!shells.test(first)) return undefined;
  const flag = rest.findIndex((word) => /^-\w*c$/.test(word));
  const script = rest[flag + 1] ?? '';
  // A file may end in exec, or hand signals on; a line tells.
  if (flag === -1 || /(?:^|[;&\n])\s{0,100}trap\s/.test(script)) return undefined;
  const becomes = [...script.matchAll(becoming)].map(([, word = '']) => runners.exec(word)?.[1]);
  return becomes.length === 0 ? 'A shell' : becomes.find((name) => name !== undefined);
}

/** What a shell becomes: after the beginning of a command. */
const becoming = /(?:^|[;&|{\n]|\b(?:then|else|do)\s)\s{0,100}exec\s{1,100}([^\s;&|]{1,300})/g;

export const userRoot: Rule = {
  id: 'user-root',
  judge: ({ user, format, image = '' }: Workload) => {
    if (user === undefined || !/^(?:root|0)(?::|$)/.test(user.text)) return [];
    // It comes with a user of its own.
    if (format === 'dockerfile' && /nonroot|chainguard/.test(image)) return [];
    return [
      {
        line: user.line,
        sentence: 'The process runs as root: an attacker who escapes the container is root on the node.',
        write: userLines(format),
      },
    ];
  },
};

export const versionFile: Rule = {
  id: 'version-file',
  judge: ({ build, line, env }) => {
    if (build === undefined) return [];
    const { versionFiles, workdir, copiesSource } = build;
    const [first] = versionFiles;
    const write = ['ARG COMMIT', 'RUN npx lifesign version --set commit="$COMMIT"'];
    if (first === undefined) {
      const hint = copiesSource ? ' (unless it is in the source)' : '';
      return [
        {
          line,
          sentence: `The build does not write version.json${hint}: /__version__ answers 404, and nobody can tell which build is running.`,
          write,
        },
      ];
    }
    const wanted = env.get('HEALTH_VERSION_PATH');
    // The parent of the application is where the contract looks first.
    const read = new Set([wanted ?? workdir, parentOf(workdir)]);
    const known = versionFiles.flatMap(({ directory }) => directory ?? []);
    if (known.length < versionFiles.length || known.some((directory) => read.has(directory))) return [];
    return [
      {
        line: first.line,
        sentence: `version.json is copied to ${known[0]}, but the service runs in ${workdir} and does not look there.`,
        write: [`COPY version.json ${workdir === '/' ? '' : workdir}/version.json`],
      },
    ];
  },
};

const parentOf = (path: string): string => path.replace(/\/[^/]*$/, '') || '/';
