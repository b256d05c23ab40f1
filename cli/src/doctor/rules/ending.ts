import { selects } from '../fronts.js';
import { type Call, isForDevelopers, runsNode, servesClients, usesLifesign } from '../traits.js';
import type { Workload } from '../workload.js';
import { graceLines, variableLines } from './fixes.js';
import { comesFromElsewhere, millisecondsOf } from './paths.js';
import type { Rule } from './rule.js';
import { swallowerOf } from './swallowers.js';

const kubernetes = 'https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination';

/** The default duration of a drain, as in src/http/drain/options.ts. */
const drain = { delay: 5000, server: 8000, whole: 9000, leastTimeout: 3000, leastShutdown: 1000 };
/** Less is too short for any server: connections need to close. */
const leastGrace = 5000;

/** The delay, the requests in progress, and onShutdown. */
function drainTakes(
  delay = drain.delay,
  timeout = Math.max(drain.leastTimeout, drain.server - delay),
  shutdown = Math.max(drain.leastShutdown, drain.whole - delay - timeout),
): number {
  return delay + timeout + shutdown;
}

/** The time that a container needs after SIGTERM, and why; undefined if unknown. */
function needed(workload: Workload): { readonly ms: number; readonly why: string } | undefined {
  const times = ['HEALTH_DRAIN_DELAY', 'HEALTH_DRAIN_TIMEOUT', 'HEALTH_DRAIN_SHUTDOWN_TIMEOUT'];
  if (usesLifesign(workload)) {
    if (times.some((name) => comesFromElsewhere(workload, name))) return undefined;
    const ms = drainTakes(...times.map((name) => millisecondsOf(workload, name)));
    return { ms, why: `draining takes up to ${ms / 1000} s` };
  }
  return workload.grace?.line !== undefined && servesClients(workload)
    ? { ms: leastGrace, why: 'a server needs some seconds to finish its requests' }
    : undefined;
}

export const gracePeriod: Rule = {
  id: 'grace-period',
  level: 'hazard',
  source: kubernetes,
  judge: (workload) => {
    const { grace, format, line, preStopSleep: sleep = 0, lasting } = workload;
    if (grace === undefined || lasting === false) return [];
    const need = needed(workload) ?? { ms: sleep > 0 ? 1 : 0, why: '' };
    if (!(grace.ms < need.ms + sleep)) return [];
    const said = grace.line === undefined ? 'by default' : 'here';
    const before = sleep > 0 ? `the preStop hook sleeps ${sleep / 1000} s of them` : '';
    return {
      line: grace.line ?? line,
      sentence: `The platform kills the process ${grace.ms / 1000} s after it begins to end it (${said}), but ${[before, need.why].filter(Boolean).join(', and ')}: requests in progress are cut off.`,
      write: graceLines(format, Math.max(need.ms, leastGrace) + sleep + 10_000),
    };
  },
};

/** lifesign waits for load balancers; of others, a variable may say that they do. */
const drains = (workload: Workload): boolean =>
  usesLifesign(workload) ||
  workload.moreEnv === true ||
  [...workload.env.keys()].some((name) => /DRAIN|SHUTDOWN|GRACE|TERMINAT/.test(name));

const isSelected = ({ format, labels = new Map(), ports }: Workload, { fronts }: Call): boolean =>
  format === 'kubernetes' && ports.size > 0 && fronts.some((front) => selects(front, labels));

/** Proxies learn late that an instance is leaving: a server that closes at once refuses their requests. */
export const drainDelay: Rule = {
  id: 'drain-delay',
  level: 'hazard',
  source: kubernetes,
  judge: (workload, call) => {
    const { preStop, format, line } = workload;
    if (preStop === true) return [];
    if (!drains(workload) && runsNode(workload) && isSelected(workload, call) && workload.lasting !== false)
      return {
        line,
        level: 'advice',
        sentence:
          'There is no preStop hook, and nothing shows that the service waits before it closes: a Service still sends requests for seconds after SIGTERM, and those are refused.',
      };
    if (millisecondsOf(workload, 'HEALTH_DRAIN_DELAY') !== 0) return [];
    return {
      line,
      sentence:
        'HEALTH_DRAIN_DELAY is 0 and there is no preStop hook: load balancers still send requests after the server has closed, and those are refused.',
      write: variableLines(format, 'HEALTH_DRAIN_DELAY', '5s'),
    };
  },
};

/** Commands of developers and pipelines. */
const errands =
  /\b(?:dev|develop|watch|test|tests|e2e|lint|build|migrate|migrations?|seed|storybook|install|ci|nodemon|--watch|hot|reload)\b/;

export const signalsSwallowed: Rule = {
  id: 'signals-swallowed',
  level: 'hazard',
  source: 'https://docs.docker.com/reference/dockerfile/#shell-form-entrypoint-example',
  judge: (workload) => {
    const { start, format, lasting, file } = workload;
    if (start === undefined || lasting === false) return [];
    if ((format === 'dockerfile' || format === 'compose') && isForDevelopers(file)) return [];
    const line = start.words.join(' ');
    if (!runsNode(workload) && !servesClients(workload) && workload.probes.length === 0) return [];
    const swallower = swallowerOf(start.shell, start.words, workload.image);
    if (swallower === undefined || (swallower.only && errands.test(line))) return [];
    return {
      line: start.line,
      sentence: `${swallower.name} is the first process and receives SIGTERM: the application never gets the signal, does not drain, and is killed.`,
    };
  },
};
