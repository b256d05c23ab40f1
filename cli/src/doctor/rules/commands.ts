import { isHere } from '../requests.js';
import type { Rule } from './rule.js';

const docker = 'https://docs.docker.com/reference/dockerfile/#healthcheck';

/** Tools of common images. Other images are not judged. */
const withoutTools =
  /distroless|^scratch$|chainguard|^node:.*slim|^node:.*alpine|^python:.*slim|^(?:alpine|debian|ubuntu|busybox)(?::|$)/;
/** Docker's registry when none is named. */
const usualRegistry = /^(?:docker\.io\/)?(?:library\/)?/;
const withWget = /alpine|busybox/;

export const healthcheckTool: Rule = {
  id: 'healthcheck-tool',
  level: 'hazard',
  source: docker,
  judge: (workload) =>
    workload.probes.flatMap((probe) => {
      const { image = '', tools = [] } = workload;
      const { command = [], line, role } = probe;
      const tool = /(?:^|[\s"'/])(curl|wget)(?=\s|$)/.exec(command.join(' '))?.[1];
      const known = withoutTools.test(image.replace(usualRegistry, ''));
      if (tool === undefined || !known || tools.includes(tool) || (tool === 'wget' && withWget.test(image)))
        return [];
      return {
        line,
        sentence: `The ${role} probe runs ${tool}, which ${image} does not have: the container is never healthy.`,
      };
    }),
};

export const alwaysHealthy: Rule = {
  id: 'always-healthy',
  level: 'hazard',
  source: docker,
  judge: (workload) =>
    workload.probes.flatMap(({ command, line, role }) => {
      const why = command && reasonToPass(command.join(' ').trim());
      return why === undefined
        ? []
        : { line, sentence: `The ${role} probe passes whatever happens: ${why}.` };
    }),
};

const swallowed = /(?:\|\||;)\s*(?:echo\b[^|;&]*|true|:|exit 0|\/bin\/true|printf\b[^|;&]*)\s*["']?\s*$/;

/** Why a command never fails; undefined if it can. */
function reasonToPass(line: string): string | undefined {
  const script = line.replace(/^(?:\/bin\/)?(?:ba|a|da)?sh -\w*c /, '');
  // Bash opens a connection for this.
  if (script.includes('/dev/tcp/')) return undefined;
  const end = swallowed.exec(script);
  if (end !== null && !/exit [1-9]|return [1-9]|exit \$/.test(script))
    return `${JSON.stringify(end[0].trim())} hides the failure`;
  if (/^(?:true|:|exit 0|\/bin\/true|echo\b[^|;&]*|sleep [\d.]+)$/.test(script.trim()))
    return 'the command asks nothing';
  if (/\bps\b[^|]*\|\s*grep (?!.*(?:\[|grep -v))/.test(script))
    return 'grep finds itself in the list of processes';
  return curlWithoutFail(script) ?? fetchWithoutStatus(script);
}

/** curl succeeds on a 500 unless it gets `-f`, and unless its output is read. */
function curlWithoutFail(script: string): string | undefined {
  const [call = ''] = /(?:^|[\s/;&(])curl\s[^|;&]*/.exec(script) ?? [];
  const watched = /\|\s*(?!\|)|\$\(|`|%\{|\bgrep\b|\btest\b|\[\s/.test(script.replaceAll('||', ''));
  const fails = /\s(?:-[a-zA-Z]*f[a-zA-Z]*|--fail(?:-with-body|-early)?)(?=\s|$)/.test(call);
  if (call === '' || watched || fails || /telnet:|--unix-socket/.test(call)) return undefined;
  return 'curl without --fail succeeds on a 500';
}

/** A line of Node that sends a request and ignores the answer. */
function fetchWithoutStatus(script: string): string | undefined {
  const asks =
    /\b(?:node|bun|deno)\b.*\s-{1,2}(?:e|eval|p)\b.*(?:fetch\(|https?['"]?\)?\.(?:get|request)\()/.test(
      script,
    );
  if (!asks || /\.ok\b|\{\s*ok\b|status|\bassert/i.test(script)) return undefined;
  return 'the script does not look at the status of the response';
}

export const healthcheckForm: Rule = {
  id: 'healthcheck-form',
  level: 'hazard',
  source: docker,
  judge: ({ probes }) =>
    probes.flatMap(({ command = [], line, shell, kind }) => {
      if (kind !== 'exec' || shell === true || command.length === 0) return [];
      const [first = ''] = command;
      if (/(?:^|\/)(?:ba|a|da|z)?sh$/.test(first)) return [];
      const operator = command.find((word) => /^(?:\|\|?|&&|;|>|2>&1|>\/dev\/null)$/.test(word));
      const sentence =
        operator !== undefined
          ? `${operator} is an argument of ${first} here, because no shell runs the command: it fails, or passes, whatever the service does.`
          : / /.test(first) && command.length === 1
            ? `No shell runs the command, so ${JSON.stringify(first)} is the name of a program, which does not exist: the container is never healthy.`
            : undefined;
      return sentence === undefined ? [] : { line, sentence };
    }),
};

const clients =
  /\b(?:pg_isready|psql|redis-cli|valkey-cli|mysqladmin|mysql|mariadb-admin|mongosh?|cqlsh|amqp-\w+)\b[^|;&]*?\s(?:-h|--host)[= ]?\s*["']?([^\s"';|&]+)/;
const connections = /\bnc\s(?:-\w+\s+(?:\d+\s+)?)*["']?([\w.$-][^\s"']*)\s+["']?[\d$]/;
const addresses = /\b(?:postgres(?:ql)?|redis|mysql|mongodb(?:\+srv)?|amqps?):\/\/(?:[^@\s/]*@)?([^\s:/"']+)/;
/** A variable of the address of something else. */
const otherVariable = /^\$\{?\(?(?:DB|DATABASE|PG|POSTGRES|MYSQL|REDIS|MONGO|RABBIT|KAFKA)\w*/i;

/** The other machine that a command requests; undefined if there is none. */
export function dependencyIn(command: readonly string[]): string | undefined {
  const line = command.join(' ');
  const host = (clients.exec(line) ?? connections.exec(line) ?? addresses.exec(line))?.[1];
  return host === undefined || (isHere(host) && !otherVariable.test(host)) ? undefined : host;
}
