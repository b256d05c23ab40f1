import { objectProblem, parseObject, repeatedKey } from '../json.js';
import {
  type Answer,
  answersOf,
  type EndpointEvidence,
  type EndpointName,
  type Evidence,
  judgeEach,
  repeated,
  shownStatus,
} from './evidence.js';
import type { Exchange } from '../http/exchange.js';
import { secretHeader, secretIn, traceIn } from './leaks.js';
import { namesIn, requestRules } from './request-rules.js';
import {
  type Expectations,
  demanded,
  must,
  quoted,
  type Rule,
  rule,
  type RuleHead,
  should,
  type Verdict,
} from './rule.js';

/** A kubelet reads this much of a body and no more. */
const kubeletReads = 10 * 1024;

/** The rules that hold for each of the three endpoints. */
export function endpointRules(endpoint: EndpointName, expected: Expectations): readonly Rule<Evidence>[] {
  return pathRules(endpoint, statusCodes(endpoint, expected), expected).map((rule) => ({
    ...rule,
    judge: (evidence) => rule.judge(evidence[endpoint]),
  }));
}

/** The rules that hold for everything that is served as the endpoints are. */
// oxlint-disable-next-line max-lines-per-function -- a list of rules, to be read from top to bottom
export function pathRules(
  endpoint: string,
  codes: readonly number[],
  expected: Expectations,
): readonly Rule<EndpointEvidence>[] {
  /** On every answer of GET that has the status of one. */
  const each = (head: RuleHead, judge: (answer: Exchange) => string | undefined) =>
    rule(head, (evidence: EndpointEvidence) => judgeAnswers(specified(endpoint, evidence), judge));
  const name = (kind: string) => `${endpoint}.${kind}`;
  // The specification does not define the body of /__lbheartbeat__.
  const body = (kind: string, section: string) =>
    endpoint === 'lbheartbeat' ? should(name(kind)) : must(name(kind), section);
  return [
    rule(must(name('status'), '2-endpoints'), (evidence) => statusVerdict(evidence, codes)),
    rule(must(name('conditional'), '2-endpoints'), (evidence) => conditionalVerdict(evidence, codes)),
    ...(endpoint === 'version' ? [rule(should('version.not-found'), notFoundVerdict)] : []),
    each(must(name('content-type'), '22-responses'), ({ headers: { 'content-type': type } }) =>
      /^\s*application\/json\s*(?:;|$)/i.test(type ?? '') ? undefined : isJsonType(type),
    ),
    each(should(name('charset')), ({ headers: { 'content-type': type } }) =>
      type?.includes(';') === true ? isJsonType(type) : undefined,
    ),
    each(must(name('vary'), '22-responses'), ({ headers }) =>
      namesIn(headers.vary).includes('accept-encoding')
        ? undefined
        : `vary is ${quoted(headers.vary)}; it must name Accept-Encoding`,
    ),
    each(should(name('cache-control')), ({ headers }) =>
      is('cache-control', headers['cache-control'], 'no-store'),
    ),
    // Each request runs the checks: an answer that was kept did not.
    each(
      endpoint === 'heartbeat' ? must(name('age'), '24-heartbeat-endpoint') : should(name('age')),
      ({ headers }) => headers.age && `age is ${quoted(headers.age)}: a cache stored the response`,
    ),
    each(should(name('cookies')), ({ headers }) =>
      headers['set-cookie'] === undefined ? undefined : 'the response sets a cookie; a probe has no session',
    ),
    each(should(name('stray-headers')), strayHeader),
    each(body('json', '22-responses'), (answer) => {
      const problem = objectProblem(answer);
      return problem && `the body ${problem}: ${excerpt(answer)}`;
    }),
    each(should(name('unique-keys')), (answer) => {
      const object = parseObject(answer);
      const key = object && repeatedKey(answer.body.toString(), object);
      return key && `the key ${quoted(key)} appears twice: each client keeps another of the values`;
    }),
    each(body('utf-8', '22-responses'), textViolation),
    rule(must(name('encoding'), '22-responses'), (evidence) => encodingVerdict(endpoint, evidence)),
    each(should(name('size'), 'verify.md'), ({ body: { length } }) =>
      length > kubeletReads
        ? `the body has ${length} bytes; a kubelet reads only ${kubeletReads}`
        : undefined,
    ),
    rule(should(name('latency'), 'verify.md'), (evidence) => latencyVerdict(evidence, expected)),
    rule(demanded(name('secrets'), 'security.md'), (evidence) =>
      judgeAnswers(
        everything(evidence),
        ({ body: text, headers }) => secretIn(text) ?? secretHeader(headers),
      ),
    ),
    rule(should(name('traces'), 'security.md'), (evidence) =>
      judgeAnswers(everything(evidence), ({ body: text }) => traceIn(text)),
    ),
    ...requestRules(endpoint),
  ];
}

/** The allowed statuses of GET. */
function statusCodes(endpoint: EndpointName, { failedStatusCode }: Expectations): readonly number[] {
  if (endpoint === 'version') return [200, 404];
  return endpoint === 'heartbeat' ? [200, failedStatusCode] : [200];
}

function statusVerdict({ gets, gzip }: EndpointEvidence, codes: readonly number[]): Verdict {
  const asked = [...repeated(gets), { asked: 'with gzip', exchange: gzip }];
  return judgeEach(asked, (answer) => statusViolation(answer, codes));
}

function statusViolation(answer: Exchange, codes: readonly number[]): string | undefined {
  if (codes.includes(answer.status)) return undefined;
  const { location } = answer.headers;
  let hint = '';
  if (answer.status === 401 || answer.status === 403)
    hint = '; the endpoints need no credentials (contract.md#21-requests)';
  if (location !== undefined) hint = `; it redirects to ${location}`;
  return `${shownStatus(answer)} instead of ${codes.join(' or ')}${hint}`;
}

/** For a client that has an answer already. */
function conditionalVerdict({ gets, conditional }: EndpointEvidence, codes: readonly number[]): Verdict {
  if (gets[0].failure !== undefined) return { skipped: 'the endpoint did not answer' };
  if (codes.includes(conditional.status)) return undefined;
  // The same failure as without it.
  if (gets.some(({ status }) => status === conditional.status)) return undefined;
  return `GET with If-None-Match: ${shownStatus(conditional)} instead of ${codes.join(' or ')}`;
}

/** The specification leaves this open: a 404 should be as readable as the other responses. */
function notFoundVerdict({ gets }: EndpointEvidence): Verdict {
  const answer = gets.find(({ status }) => status === 404);
  if (answer === undefined) return { skipped: 'there is a version.json' };
  const type = answer.headers['content-type'];
  if (type !== 'application/json') {
    return `the 404 has content-type ${quoted(type)} instead of "application/json"`;
  }
  return parseObject(answer) === undefined ? 'the body of the 404 is not a JSON object' : undefined;
}

const silent = 'the endpoint did not answer';

function judgeAnswers(
  answers: readonly Answer[] | string,
  judge: (answer: Exchange) => string | undefined,
): Verdict {
  if (typeof answers === 'string') return { skipped: answers };
  return answers.length === 0 ? { skipped: silent } : judgeEach(answers, judge);
}

/** Answers that the specification defines: not the 404 for a missing version.json. */
function specified(endpoint: string, evidence: EndpointEvidence): readonly Answer[] | string {
  const answers = answersOf(evidence);
  if (endpoint !== 'version' || answers.length === 0) return answers;
  const found = answers.filter(({ exchange }) => exchange.status !== 404);
  return found.length === 0 ? 'there is no version.json, and the content of a 404 is not specified' : found;
}

/** Secrets must not leak anywhere. */
function everything(evidence: EndpointEvidence): readonly Answer[] {
  const others = [...evidence.refused.values(), evidence.options, evidence.slash];
  const answered = others.filter(({ failure }) => failure === undefined);
  return [...answersOf(evidence), ...answered.map((exchange) => ({ asked: '', exchange }))];
}

/** Headers that send a client elsewhere, or make it wait, although it has its answer; and cookies for any site. */
function strayHeader({ status, headers }: Exchange): string | undefined {
  const stray = ['location', 'refresh', 'retry-after'].find((name) => headers[name] !== undefined);
  if (status === 200 && stray !== undefined) return `${stray} is ${quoted(headers[stray])} on a 200`;
  return headers['access-control-allow-credentials'] === 'true'
    ? 'access-control-allow-credentials is true: pages of other sites may read the response with cookies'
    : undefined;
}

const is = (name: string, value: unknown, expected: string): string | undefined =>
  value === expected ? undefined : `${name} is ${quoted(value)} instead of ${quoted(expected)}`;
const isJsonType = (type: string | undefined) => is('content-type', type, 'application/json');

/** JSON is UTF-8; half of a character cannot even be written in it. */
function textViolation(answer: Exchange): string | undefined {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
  } catch {
    return 'the body is not UTF-8';
  }
  try {
    const text = JSON.stringify(parseObject(answer) ?? '');
    return /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(text)
      ? 'a string contains half a character (a lone surrogate)'
      : undefined;
  } catch {
    return undefined;
  }
}

function encodingVerdict(endpoint: string, { gets, gzip, noGzip, unpacked }: EndpointEvidence): Verdict {
  const [get] = gets;
  if (get.failure !== undefined) return { skipped: silent };
  for (const { headers } of gets) {
    const unasked = headers['content-encoding'];
    if (unasked !== undefined && unasked !== 'identity') {
      return `content-encoding is ${quoted(unasked)} although the client did not accept it`;
    }
  }
  const refused = noGzip.headers['content-encoding'];
  if (refused !== undefined && refused !== 'identity')
    return `content-encoding is ${quoted(refused)} for a client that refuses it (gzip;q=0)`;
  if (gzip.failure !== undefined) return `GET with gzip: ${gzip.failure}`;
  if ('wrong' in unpacked) return unpacked.wrong;
  // Two heartbeats may differ in their texts, not in their checks.
  if (endpoint === 'heartbeat') {
    const [plain, packed] = [fieldsIn(get.body), fieldsIn(unpacked.body)];
    return plain === packed ? undefined : `the report has ${packed} with gzip and ${plain} without`;
  }
  // Two builds in a rollout are a rule of their own.
  const stable = gets.every(({ status, body }) => status === get.status && body.equals(get.body));
  if (!stable || unpacked.body.equals(get.body)) return undefined;
  return 'the body differs for a client that accepts gzip';
}

const fieldsIn = (body: Buffer) =>
  Object.keys(parseObject({ body }) ?? {})
    .toSorted()
    .join(', ') || 'no fields';

function latencyVerdict({ gets }: EndpointEvidence, { maxLatency }: Expectations): Verdict {
  if (gets[0].failure !== undefined) return { skipped: silent };
  const [, median = 0] = gets.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return median > maxLatency ? `took ${Math.round(median)} ms, more than ${maxLatency} ms` : undefined;
}

function excerpt({ body }: Exchange): string {
  return JSON.stringify(body.toString('utf8', 0, 60));
}
