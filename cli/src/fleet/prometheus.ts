import { ask, type Exchange, headersOf, overBudget, type Service } from '../http/exchange.js';
import { credentialsIn, proxyFor } from '../http/proxy.js';
import { isRecord, type JsonLimits, parseJson } from '../json.js';
import { clean, describe, printable, scrub, urlInvalid } from '../../../src/tools.js';

type Labels = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;

/** One value of an instant query. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

/** The answer of Prometheus to one query. */
export interface Vector {
  readonly samples: readonly Sample[];
  /** The time of the query in milliseconds since 1970, by the clock of Prometheus; undefined if it found nothing. */
  readonly at: number | undefined;
  readonly warnings: readonly string[];
}

/** Of all answers together: about 20,000 instances. */
const maxBytes = 32 * 1024 * 1024;
const maxSeries = 120_000;
/** A series has two levels within the five of an answer, and about a dozen values. */
const limits: JsonLimits = { levels: 20, values: 1_000_000 };
const maxWarnings = 3;
const maxSentenceLength = 300;
const tooMuch = `sent more than ${maxSeries.toLocaleString('en')} series or ${maxBytes / 1024 / 1024} MiB. Narrow the query: --match LABEL=VALUE.`;

/** Why Prometheus gave no usable answer, as text for people. */
export class NoAnswer extends Error {}

interface Settings {
  readonly headers: readonly string[];
  readonly timeout: number;
  readonly insecure: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A Prometheus, with one deadline and one limit for all queries. The credentials are sent and never printed. */
export function prometheusAt(given: string, { headers, timeout, insecure, env }: Settings) {
  if (!URL.canParse(given) || !/^https?:/i.test(given)) {
    const harmless = given.replace(/^[^]*@/, '***@');
    throw urlInvalid('The address of Prometheus', harmless, 'a URL such as http://localhost:9090');
  }
  const url = new URL(given);
  const { password = '', basic = '' } = credentialsIn(url) ?? {};
  const own = headersOf(headers);
  const isNamed = Object.keys(own).some((name) => name.toLowerCase() === 'authorization');
  // The address of its web page, or of the API itself, counts as the address of the server.
  const path = url.pathname.replace(/(?<!\/)\/{1,99}$/, '');
  const base = url.origin + path.replace(/\/(?:graph|query|api\/v1(?:\/query)?)$/, '');
  const proxy = proxyFor(url, env);
  const service: Service = {
    base,
    headers: {
      Accept: 'application/json',
      'User-Agent': 'lifesign-fleet',
      ...(basic !== '' && !isNamed && { Authorization: `Basic ${basic}` }),
      ...own,
    },
    timeout,
    insecure,
    until: performance.now() + timeout,
    // The limit of all answers together comes first.
    maxBytes: Infinity,
    budget: { left: maxBytes },
    ...(proxy !== undefined && { proxy }),
  };
  const values = Object.values(own).flatMap((value) => [value, value.replace(/^\w+ /, '')]);
  const secrets = [password, basic, ...values].filter((secret) => secret !== '');
  /** Untrusted text as it may be printed: short, on one line, without credentials. */
  const foreign = (text: string): string => {
    let harmless = text.slice(0, 4 * maxSentenceLength);
    for (const secret of secrets) harmless = harmless.replaceAll(secret, '***');
    return printable(clean(harmless, maxSentenceLength));
  };
  const shown = scrub(base);
  let left = maxSeries;
  /** Sends one query. Rejects with a `NoAnswer` if nothing usable comes back. */
  const query = async (promql: string): Promise<Vector> => {
    const exchange = await ask(service, 'GET', `/api/v1/query?query=${encodeURIComponent(promql)}`);
    const parsed = parseJson(exchange.body.toString(), limits);
    const wrong = 'wrong' in parsed ? parsed.wrong : '';
    const answer = 'value' in parsed && isRecord(parsed.value) ? parsed.value : undefined;
    const vector = answer && vectorOf(answer, foreign);
    left -= vector?.samples.length ?? 0;
    const late =
      performance.now() > service.until || /^no(?:t requested| answer within)/.test(exchange.failure ?? '');
    const reason = late
      ? `did not answer within ${timeout} ms. Use --timeout to wait longer.`
      : (problemOf(exchange, answer, wrong, foreign) ??
        (left < 0
          ? tooMuch
          : vector
            ? undefined
            : 'sent JSON that is not a query result. Is it Prometheus?'));
    if (vector === undefined || reason !== undefined) throw new NoAnswer(`Prometheus at ${shown} ${reason}`);
    return vector;
  };
  return { shown, query };
}

/** The problem of an answer; undefined if it can be read. */
function problemOf(
  { status, headers, failure }: Exchange,
  answer: Json | undefined,
  wrong: string,
  foreign: (text: string) => string,
): string | undefined {
  if (failure === overBudget) return tooMuch;
  if (failure !== undefined) return `did not answer: ${foreign(failure)}.`;
  if (status >= 300 && status < 400)
    return `redirects to ${foreign(headers.location ?? '')} (${status}). Use the address it redirects to.`;
  if (status === 401)
    return "asks for credentials (401). Write http://USER:PASSWORD@HOST or --header 'Authorization: Bearer TOKEN'.";
  if (status === 403) return 'rejected these credentials (403).';
  const said = answer?.['error'];
  if (typeof said === 'string') return `answered ${status}: ${foreign(said)}`;
  if (status === 404)
    return 'has no /api/v1/query (404). If it is served under a path, include it: http://HOST/prometheus.';
  if (status !== 200) return `answered ${status}.`;
  if (answer !== undefined) return undefined;
  if (wrong.startsWith('has more')) return tooMuch;
  if (wrong.startsWith('is nested')) return `sent JSON that ${wrong}. Is it Prometheus?`;
  const type = foreign(headers['content-type'] ?? 'none');
  return `did not answer with JSON (content-type: ${type}). Is it Prometheus, or a login page?`;
}

function vectorOf(answer: Json, foreign: (text: string) => string): Vector | undefined {
  const { status, data, warnings }: Json = answer;
  if (status !== 'success' || !isRecord(data) || data['resultType'] !== 'vector') return undefined;
  if (!Array.isArray(data['result'])) return undefined;
  const samples: Sample[] = [];
  let at: number | undefined;
  for (const item of data['result']) {
    const { metric, value: pair }: Json = isRecord(item) ? item : {};
    const [time, value]: readonly unknown[] = Array.isArray(pair) ? pair : [];
    if (!isLabels(metric) || typeof time !== 'number' || typeof value !== 'string') return undefined;
    at ??= time * 1000;
    if (Number.isNaN(new Date(at).getTime())) return undefined;
    samples.push({ labels: metric, value: Number(value) });
  }
  // A Prometheus that consists of several names those that did not answer.
  const all: readonly unknown[] = Array.isArray(warnings) ? warnings.slice(0, maxWarnings) : [];
  return { samples, at, warnings: all.map((warning) => foreign(describe(warning))) };
}

const isLabels = (value: unknown): value is Labels =>
  isRecord(value) && Object.values(value).every((label) => typeof label === 'string');
