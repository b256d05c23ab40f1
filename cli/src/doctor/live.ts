import { ask, type Exchange, type Service } from '../http/exchange.js';
import type { Call } from './call.js';
import { timeoutLines } from './rules/fields.js';
import { liveLines, readyLines } from './rules/fixes.js';
import { runsChecks } from './rules/paths.js';
import type { Finding } from './rules/rule.js';
import type { Probe, Workload } from './workload.js';

/** The responses of the running service on a path, requested three times. */
interface Asked {
  readonly answers: readonly Exchange[];
  /** Milliseconds, the one in the middle. */
  readonly median: number;
}

const times = 3;
const source = 'https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/';
/** Below it nothing is called as slow as the checks: noise is of this size. */
const slow = 100;

/** Sends the requests of the probes to the service, and judges the responses instead of the names of the paths. */
export async function judgeLive(
  service: Service,
  workloads: readonly Workload[],
  call: Call,
): Promise<readonly Finding[]> {
  const known = new Map<string, Asked>();
  const askFor = async (path: string): Promise<Asked> => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const answers: Exchange[] = [];
    for (let count = 0; count < times; count += 1) answers.push(await ask(service, 'GET', path));
    const sorted = answers.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const asked = { answers, median: sorted[1] ?? 0 };
    known.set(path, asked);
    return asked;
  };
  const heartbeat = await askFor('/__heartbeat__');
  const findings: Finding[] = [];
  for (const workload of workloads) {
    for (const probe of workload.probes) {
      if (probe.path === undefined) continue;
      findings.push(...judgeProbe(workload, probe, await askFor(probe.path), { heartbeat, call }));
    }
  }
  return findings;
}

/** The heartbeat that responses are compared with, and the call. */
interface Known {
  readonly heartbeat: Asked;
  readonly call: Call;
}

function judgeProbe(workload: Workload, probe: Probe, asked: Asked, known: Known): readonly Finding[] {
  const { file, format, name: subject } = workload;
  const { heartbeat, call } = known;
  const { line, role, path = '', timeout } = probe;
  const found = (rule: string, sentence: string, write: readonly string[]): readonly Finding[] => [
    { rule, level: 'hazard', file, line, subject, sentence, write, source },
  ];
  const right = (role === 'readiness' ? readyLines : liveLines)(workload, call, probe);
  const refused = asked.answers.find(
    ({ status, failure }) => failure === undefined && status >= 300 && status < 500,
  );
  if (refused !== undefined) {
    return found(
      'probe-answer',
      `The service answers ${refused.status} on ${path}, which the ${role} probe requests.`,
      right,
    );
  }
  if (asked.answers.some(isHtml)) {
    return found(
      'probe-answer',
      `The service answers ${path} with an HTML page, probably a login page or a single-page application, which returns 200 whatever is broken.`,
      right,
    );
  }
  const late = Math.max(...asked.answers.map(({ ms }) => ms));
  if (late > timeout) {
    return found(
      'probe-timeout',
      `The service took ${Math.round(late)} ms to answer ${path}, but the ${role} probe times out after ${timeout} ms.`,
      timeoutLines(format, Math.ceil(late / 1000) * 1000 + 1000),
    );
  }
  if (role !== 'liveness' || runsChecks(path)) return [];
  if (asked.answers.some(isFailure) && heartbeat.answers.every(isFailure)) {
    return found(
      'liveness-checks',
      `${path} fails together with the heartbeat: a dependency that is down restarts every instance.`,
      right,
    );
  }
  return heartbeat.median > slow && asked.median > heartbeat.median / 2
    ? found(
        'liveness-checks',
        `${path} took ${Math.round(asked.median)} ms and the heartbeat ${Math.round(heartbeat.median)} ms, so it appears to run the checks.`,
        right,
      )
    : [];
}

const isFailure = ({ status, failure }: Exchange): boolean => failure !== undefined || status >= 500;

function isHtml({ status, headers, body }: Exchange): boolean {
  const html = /^text\/html|^application\/xhtml/i.test(headers['content-type'] ?? '');
  return status === 200 && (html || /^\s*<(?:!doctype|html)/i.test(body.toString('latin1', 0, 200)));
}
