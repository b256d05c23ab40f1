import type { Exchange } from '../http/exchange.js';
import { isRecord, parseObject } from '../json.js';
import { type EndpointEvidence, shownStatus } from './evidence.js';
import { quoted, type Rule, rule, should, type Verdict } from './rule.js';

/** The rules on other methods and other paths. The specification has GET and three paths, so all of them are ours. */
export function requestRules(endpoint: string): readonly Rule<EndpointEvidence>[] {
  const own = (kind: string, judge: (evidence: EndpointEvidence) => Verdict) =>
    rule(should(`${endpoint}.${kind}`), (evidence: EndpointEvidence) =>
      evidence.gets[0].failure === undefined ? judge(evidence) : { skipped: 'the endpoint did not answer' },
    );
  return [
    own('head', headVerdict),
    own('options', ({ options }) => {
      if (options.status !== 204) return `OPTIONS: ${shownStatus(options)} instead of 204`;
      return allowVerdict('OPTIONS', options);
    }),
    own('methods', methodsVerdict),
    own('slash', ({ slash, gets }) => sameAnswer(endpoint, 'a slash at the end', slash, gets)),
    own('query', ({ query, gets }) => sameAnswer(endpoint, 'a query string', query, gets)),
    own('clients', ({ clients, gets }) => {
      for (const [name, answer] of clients) {
        const verdict = sameAnswer(endpoint, name, answer, gets);
        if (verdict !== undefined) return verdict;
      }
      return undefined;
    }),
    own('exact', (evidence) => exactVerdict(endpoint, evidence)),
  ];
}

/** Headers that describe the body. */
const comparable = ['content-type', 'vary', 'cache-control', 'content-encoding'] as const;

/** The names in `Vary`: a proxy that compresses adds its own, also twice. */
export const namesIn = (vary: string | undefined): readonly string[] => [
  ...new Set((vary ?? '').split(',').map((name) => name.trim().toLowerCase())),
];

const sameHeader = (name: string, one: string | undefined, other: string | undefined): boolean =>
  one === other || (name === 'vary' && namesIn(one).toSorted().join() === namesIn(other).toSorted().join());

function headVerdict({ head, gets }: EndpointEvidence): Verdict {
  const like = gets.find(({ status }) => status === head.status);
  if (like === undefined) return `HEAD: ${shownStatus(head)} but GET returns ${gets[0].status}`;
  if (head.body.length > 0) return `HEAD has a body of ${head.body.length} bytes`;
  for (const name of comparable) {
    const [value, expected] = [head.headers[name], like.headers[name]];
    if (!sameHeader(name, value, expected))
      return `HEAD has ${name} ${quoted(value)}, GET ${quoted(expected)}`;
  }
  const length = head.headers['content-length'];
  const lengths = gets.map(({ body }) => String(body.length));
  // Some servers send 0 for the body they did not send.
  if (length === undefined || lengths.includes(length) || new Set(lengths).size > 1) return undefined;
  return `HEAD has content-length ${quoted(length)}, GET a body of ${lengths[0]} bytes`;
}

/** Servers of some languages refuse these before an application sees them, each in its own way. */
const anyRefusal = new Set(['PROPFIND', 'TRACE']);

function methodsVerdict({ refused }: EndpointEvidence): Verdict {
  for (const [method, answer] of refused) {
    if (anyRefusal.has(method)) {
      const isRefused = answer.failure !== undefined || answer.status >= 400;
      if (!isRefused) return `${method}: ${answer.status} instead of 405`;
      continue;
    }
    if (answer.status !== 405) return `${method}: ${shownStatus(answer)} instead of 405`;
    const verdict = allowVerdict(method, answer);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

function allowVerdict(method: string, { headers }: Exchange): Verdict {
  const allowed = new Set((headers.allow ?? '').split(',').map((name) => name.trim()));
  if (allowed.has('GET') && allowed.has('HEAD')) return undefined;
  return `${method}: allow is ${quoted(headers.allow)}; it must name GET and HEAD`;
}

/** The same response as without it: status, headers, and the content of the body. */
function sameAnswer(
  endpoint: string,
  what: string,
  answer: Exchange,
  gets: readonly [Exchange, Exchange, Exchange],
): Verdict {
  const like = gets.find(({ status }) => status === answer.status);
  if (like === undefined) return `with ${what}: ${shownStatus(answer)} instead of ${gets[0].status}`;
  for (const name of comparable) {
    const [value, expected] = [answer.headers[name], like.headers[name]];
    // Headers that the plain response lacks are reported by their own rule.
    const isKnown = gets.some(({ headers }) => sameHeader(name, headers[name], value));
    if (expected !== undefined && !isKnown)
      return `with ${what}: ${name} is ${quoted(value)} instead of ${quoted(expected)}`;
  }
  const subjects = gets.map((get) => subjectOf(endpoint, get));
  // Values that change from one request to the next cannot be compared.
  if (new Set(subjects).size > 1 || subjectOf(endpoint, answer) === subjects[0]) return undefined;
  return `with ${what}: another body than without it`;
}

/** The content of a body to compare: for a heartbeat its fields and the names of its checks, else all of it. */
function subjectOf(endpoint: string, answer: Exchange): string {
  const object = parseObject(answer);
  if (endpoint !== 'heartbeat' || object === undefined) return answer.body.toString();
  const { checks } = object;
  return JSON.stringify([
    Object.keys(object).toSorted(),
    isRecord(checks) ? Object.keys(checks).toSorted() : [],
  ]);
}

function exactVerdict(endpoint: string, { gets, strangers }: EndpointEvidence): Verdict {
  const [get] = gets;
  // A 404 of the endpoint looks like one of the application.
  if (get.status === 404) return { skipped: 'the endpoint itself returns 404' };
  for (const [path, answer] of strangers) {
    if (gets.some((like) => meansTheSame(endpoint, like, answer))) {
      return `${path} answers like the endpoint; it belongs to the application`;
    }
  }
  return undefined;
}

/** Not by equal bytes: a heartbeat has texts in it that change. */
function meansTheSame(endpoint: string, get: Exchange, answer: Exchange): boolean {
  if (answer.failure !== undefined) return false;
  const [ours, theirs] = [parseObject(get), parseObject(answer)];
  if (ours === undefined || theirs === undefined) {
    return answer.status === get.status && answer.body.equals(get.body);
  }
  const tells = (field: string) => theirs[field] !== undefined && theirs[field] === ours[field];
  if (endpoint === 'heartbeat' && tellsOf(theirs, 'status', 'checks')) return true;
  if (answer.status !== get.status) return false;
  return tells(endpoint === 'version' ? 'commit' : 'status') || answer.body.equals(get.body);
}

const tellsOf = (report: object, ...fields: readonly string[]) => fields.every((field) => field in report);
