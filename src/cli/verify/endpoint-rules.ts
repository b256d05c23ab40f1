import { gunzipSync } from 'node:zlib';
import { parseObject } from '../json.js';
import type { EndpointEvidence, EndpointName, Evidence } from './evidence.js';
import { type Exchange, mostBytes } from '../http/exchange.js';
import { quoted, type Rule, type Verdict } from './rule.js';

/** What the operator of the service has chosen. */
export interface Expectations {
  /** Status code of a failed heartbeat. */
  readonly failedStatusCode: number;
  /** The lowest level that fails it. */
  readonly failLevel: number;
  /** Milliseconds an answer may take. */
  readonly maxLatency: number;
}

/** A kubelet reads this much of a body and no more. */
const kubeletReads = 10 * 1024;

/** The rules that hold for each of the three endpoints. */
export function endpointRules(endpoint: EndpointName, expected: Expectations): readonly Rule<Evidence>[] {
  return pathRules<Evidence>(
    endpoint,
    (evidence) => evidence[endpoint],
    statusCodes(endpoint, expected),
    expected,
  );
}

/** The rules that hold for everything that is served as the endpoints are. */
export function pathRules<Subject>(
  path: string,
  of: (subject: Subject) => EndpointEvidence,
  codes: readonly number[],
  expected: Expectations,
): readonly Rule<Subject>[] {
  const rule = (
    name: string,
    reference: string,
    judge: (evidence: EndpointEvidence, get: Exchange) => Verdict,
  ): Rule<Subject> => ({
    name: `${path}.${name}`,
    reference,
    judge: (subject) => judgeAnswered(of(subject), judge),
  });
  return [
    {
      name: `${path}.status`,
      reference: 'SPEC 4',
      judge: (subject) => statusVerdict(of(subject).gets[0], codes),
    },
    rule('content-type', 'SPEC 4', (_, get) => is(get, 'content-type', 'application/json')),
    rule('vary', 'SPEC 4', (_, get) => varyVerdict(get)),
    rule('cache-control', 'contract.md: the endpoints', (_, get) => is(get, 'cache-control', 'no-store')),
    rule('json', 'SPEC 4', (_, get) =>
      parseObject(get) === undefined ? failed(`the body is not a JSON object: ${excerpt(get)}`) : undefined,
    ),
    rule('encoding', 'SPEC 4', ({ gzip }, get) => encodingVerdict(get, gzip)),
    rule('size', 'cli.md: verify', (_, { body }) =>
      body.length > kubeletReads
        ? failed(`the body has ${body.length} bytes; a kubelet reads ${kubeletReads}`)
        : undefined,
    ),
    rule('latency', 'cli.md: verify', ({ gets }) => {
      const median = gets.map(({ ms }) => ms).toSorted((a, b) => a - b)[1] ?? 0;
      return median > expected.maxLatency
        ? failed(`took ${Math.round(median)} ms, more than ${expected.maxLatency} ms`)
        : undefined;
    }),
    rule('secrets', 'cli.md: verify', (_, get) => secretVerdict(get)),
    rule('head', 'contract.md: the endpoints', ({ head, gets }, get) => headVerdict(head, gets, get)),
    rule('options', 'contract.md: the endpoints', ({ options }) => {
      if (options.status !== 204) return failed(`OPTIONS: ${shownStatus(options)} instead of 204`);
      return allowVerdict('OPTIONS', options);
    }),
    rule('methods', 'contract.md: the endpoints', ({ refused }) => {
      for (const [method, answer] of refused) {
        if (answer.status !== 405) return failed(`${method}: ${shownStatus(answer)} instead of 405`);
        const verdict = allowVerdict(method, answer);
        if (verdict !== undefined) return verdict;
      }
      return undefined;
    }),
    rule('slash', 'contract.md: the endpoints', ({ slash, gets }) =>
      sameStatus('a slash at the end', slash, gets),
    ),
    rule('query', 'contract.md: the endpoints', ({ query, gets }) =>
      sameStatus('a query string', query, gets),
    ),
    rule('exact', 'contract.md: the endpoints', ({ longer }, get) =>
      get.body.length > 0 && longer.status === get.status && longer.body.equals(get.body)
        ? failed('the path with one letter more answers alike; it is the application’s own')
        : undefined,
    ),
  ];
}

function judgeAnswered(
  evidence: EndpointEvidence,
  judge: (evidence: EndpointEvidence, get: Exchange) => Verdict,
): Verdict {
  const [get] = evidence.gets;
  if (get.failure !== undefined) return { skipped: 'the endpoint gave no answer' };
  return judge(evidence, get);
}

function statusCodes(endpoint: EndpointName, { failedStatusCode }: Expectations): readonly number[] {
  if (endpoint === 'version') return [200, 404];
  return endpoint === 'heartbeat' ? [200, failedStatusCode] : [200];
}

function statusVerdict(get: Exchange, codes: readonly number[]): Verdict {
  if (codes.includes(get.status)) return undefined;
  const { location } = get.headers;
  let hint = '';
  if (get.status === 401 || get.status === 403) hint = '; the endpoints need no credentials (SPEC 5)';
  if (location !== undefined) hint = `; it redirects to ${location}`;
  return failed(`${shownStatus(get)} instead of ${codes.join(' or ')}${hint}`);
}

function is({ headers }: Exchange, name: string, expected: string): Verdict {
  const value = headers[name];
  return value === expected
    ? undefined
    : failed(`${name} is ${quoted(value)} instead of ${quoted(expected)}`);
}

function varyVerdict({ headers }: Exchange): Verdict {
  const names = (headers.vary ?? '').split(',').map((name) => name.trim().toLowerCase());
  const times = names.filter((name) => name === 'accept-encoding').length;
  if (times === 1) return undefined;
  return failed(
    `vary is ${quoted(headers.vary)}; it must name Accept-Encoding ${times > 1 ? 'once' : ''}`.trim(),
  );
}

function encodingVerdict(get: Exchange, gzip: Exchange): Verdict {
  const unasked = get.headers['content-encoding'];
  if (unasked !== undefined && unasked !== 'identity') {
    return failed(`content-encoding is ${quoted(unasked)} although the client did not accept it`);
  }
  const encoding = gzip.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') {
    return looksGzipped(gzip.body) ? failed('the body is gzip and no content-encoding says so') : undefined;
  }
  if (encoding !== 'gzip') return failed(`content-encoding is ${quoted(encoding)} where gzip was accepted`);
  try {
    gunzipSync(gzip.body, { maxOutputLength: mostBytes });
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE'
      ? failed(`the gzip body has more than ${mostBytes} bytes when it is unpacked`)
      : failed('content-encoding is "gzip" and the body is not');
  }
}

function looksGzipped(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

function secretVerdict({ body }: Exchange): Verdict {
  const text = body.toString();
  if (urlWithPassword.test(text)) return failed('the body carries a URL with a password');
  return text.split(/\\n|\n/).some(isFrame) ? failed('the body carries a stack trace') : undefined;
}

// Both take a time that grows with the text and no faster: no part can match what the part after it does.
const urlWithPassword = /[a-z0-9+.-]:\/\/[^\s/?#@'":]{0,256}:[^\s/?#@'"]{1,1024}@/i;

/** One line of a stack: `   at main (file.js:1:2)`. */
function isFrame(line: string): boolean {
  return /^\s+at /.test(line) && /:\d+:\d/.test(line);
}

function headVerdict(head: Exchange, gets: readonly Exchange[], get: Exchange): Verdict {
  if (!gets.some(({ status }) => status === head.status)) {
    return failed(`HEAD: ${shownStatus(head)} where GET gives ${get.status}`);
  }
  if (head.body.length > 0) return failed(`HEAD has a body of ${head.body.length} bytes`);
  const [type, expected] = [head.headers['content-type'], get.headers['content-type']];
  return type === expected
    ? undefined
    : failed(`HEAD has content-type ${quoted(type)}, GET ${quoted(expected)}`);
}

function allowVerdict(method: string, { headers }: Exchange): Verdict {
  const allowed = new Set((headers.allow ?? '').split(',').map((name) => name.trim()));
  if (allowed.has('GET') && allowed.has('HEAD')) return undefined;
  return failed(`${method}: allow is ${quoted(headers.allow)}; it must name GET and HEAD`);
}

function sameStatus(what: string, answer: Exchange, gets: readonly Exchange[]): Verdict {
  if (gets.some(({ status }) => status === answer.status)) return undefined;
  return failed(`with ${what}: ${shownStatus(answer)} instead of ${gets[0]?.status}`);
}

export function failed(reason: string): Verdict {
  return { failed: reason };
}

function shownStatus({ status, failure }: Exchange): string {
  return failure ?? String(status);
}

function excerpt({ body }: Exchange): string {
  return JSON.stringify(body.toString('utf8', 0, 60));
}
