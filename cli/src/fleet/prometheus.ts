import { clean, describe, printable, scrub, urlInvalid } from '../../../src/tools.js';
import { ask, type Exchange, overBudget, type Service } from '../http/exchange.js';
import { headersOf } from '../http/given.js';
import { proxyFor } from '../http/proxy.js';
import { isRecord, type JsonLimits, parseJson } from '../json.js';

/** The address of Prometheus, and how to query it. */
export interface Prometheus extends Service {
  /** The address as it may be printed. */
  readonly shown: string;
  /** Texts that must never be printed, even if Prometheus repeats them. */
  readonly secrets: readonly string[];
}

/** One value of an instant query. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The answer of Prometheus to one query. */
export interface Vector {
  readonly samples: readonly Sample[];
  /** When it looked, in milliseconds since 1970, by its own clock; undefined if it found nothing. */
  readonly at: number | undefined;
  readonly warnings: readonly string[];
}

/** Of all answers of one look: about 20,000 instances. */
const maxBytes = 32 * 1024 * 1024;
const maxSeries = 120_000;
/** A series has two levels within the five of an answer, and about a dozen values. */
const limits: JsonLimits = { levels: 20, values: 1_000_000 };
const maxWarnings = 3;
const maxSentenceLength = 300;
/** Seconds since 1970 that a Date can hold. */
const latest = 8.64e12;

/** Why Prometheus gave no usable answer, in a sentence for people. */
export class NoAnswer extends Error {}

interface Settings {
  readonly headers: readonly string[];
  readonly timeout: number;
  readonly insecure: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads the address and the headers that the user gave. The credentials are sent and never printed. */
export function prometheusAt(given: string, { headers, timeout, insecure, env }: Settings): Prometheus {
  if (!URL.canParse(given) || !/^https?:/i.test(given)) {
    const harmless = given.replace(/^[^]*@/, '***@');
    throw urlInvalid('The address of Prometheus', harmless, 'a URL such as http://localhost:9090');
  }
  const url = new URL(given);
  const [username, password] = [decoded(url.username), decoded(url.password)];
  const pair = Buffer.from(`${username}:${password}`).toString('base64');
  const own = headersOf(headers);
  const named = Object.keys(own).some((name) => name.toLowerCase() === 'authorization');
  // The address of its web page, or of the API itself, counts as the address of the server.
  const base =
    url.origin +
    url.pathname.replace(/(?<!\/)\/{1,99}$/, '').replace(/\/(?:graph|query|api\/v1(?:\/query)?)$/, '');
  const proxy = proxyFor(url, env);
  const secrets = [
    password,
    pair,
    ...Object.values(own).flatMap((value) => [value, value.replace(/^\w+ /, '')]),
  ];
  return {
    base,
    shown: scrub(base),
    headers: {
      Accept: 'application/json',
      'User-Agent': 'lifesign-fleet',
      ...(username + password !== '' && !named && { Authorization: `Basic ${pair}` }),
      ...own,
    },
    secrets: secrets.filter((secret) => secret !== ''),
    timeout,
    insecure,
    until: Infinity,
    // The limit of all answers together comes first.
    maxBytes: Infinity,
    ...(proxy !== undefined && { proxy }),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The queries of one view, with one deadline and one limit for all of them. */
export class Look {
  readonly #prometheus: Prometheus;
  #series = maxSeries;

  constructor(prometheus: Prometheus) {
    const until = performance.now() + prometheus.timeout;
    this.#prometheus = { ...prometheus, until, budget: { left: maxBytes } };
  }

  /** Asks one question. Rejects with a `NoAnswer` if nothing usable comes back. */
  async query(promql: string): Promise<Vector> {
    const path = `/api/v1/query?query=${encodeURIComponent(promql)}`;
    const exchange = await ask(this.#prometheus, 'GET', path);
    if (exchange.failure === undefined) this.checkTime();
    // The rest of the time is less than the user's `--timeout`.
    else if (/^no answer within|^not requested/.test(exchange.failure))
      this.#fail(`did not answer within ${this.#prometheus.timeout} ms. Use --timeout to wait longer.`);
    const foreign: Foreign = (text) => wordsOf(text, this.#prometheus.secrets);
    const answer = answerOf(exchange);
    const sentence = refusal(exchange, answer, foreign);
    const vector = sentence === undefined ? vectorOf(answer.object, foreign) : undefined;
    if (vector === undefined)
      this.#fail(sentence ?? 'sent JSON that is not a query result. Is it Prometheus?');
    this.#series -= vector.samples.length;
    if (this.#series < 0) this.#fail(tooMuch);
    return vector;
  }

  /** Throws once the time is up: called for each part of the work with the answers. */
  checkTime(): void {
    const { until, timeout } = this.#prometheus;
    if (performance.now() > until)
      this.#fail(`sent more than can be read within ${timeout} ms. Use --timeout to wait longer.`);
  }

  #fail(reason: string): never {
    throw new NoAnswer(`Prometheus at ${this.#prometheus.shown} ${reason}`);
  }
}

const tooMuch = `sent more than ${maxSeries.toLocaleString('en')} series or ${maxBytes / 1024 / 1024} MiB. Narrow the query: --match LABEL=VALUE.`;

/** The object of an answer, and the other problems of its JSON. */
interface Read {
  readonly object: Json | undefined;
  readonly wrong: string | undefined;
}

function answerOf({ body }: Exchange): Read {
  const parsed = parseJson(body.toString(), limits);
  if ('wrong' in parsed) return { object: undefined, wrong: parsed.wrong };
  return { object: isRecord(parsed.value) ? parsed.value : undefined, wrong: undefined };
}

/** Untrusted text as it may be printed: short, on one line, without credentials. */
type Foreign = (text: string) => string;

function wordsOf(text: string, secrets: readonly string[]): string {
  let harmless = text.slice(0, 4 * maxSentenceLength);
  for (const secret of secrets) harmless = harmless.replaceAll(secret, '***');
  return printable(clean(harmless, maxSentenceLength));
}

/** The problem of an answer; undefined if it can be read. */
function refusal(
  { status, headers, failure }: Exchange,
  { object: answer, wrong }: Read,
  foreign: Foreign,
): string | undefined {
  if (failure === overBudget) return tooMuch;
  if (failure !== undefined) return `did not answer: ${foreign(failure)}.`;
  if (status >= 300 && status < 400) {
    const target = headers.location === undefined ? '' : ` to ${foreign(headers.location)}`;
    return `redirects${target} (${status}). Use the address it redirects to.`;
  }
  if (status === 401) {
    return "asks for credentials (401). Write http://USER:PASSWORD@HOST or --header 'Authorization: Bearer TOKEN'.";
  }
  if (status === 403) return 'rejected these credentials (403).';
  const said = answer?.['error'];
  if (typeof said === 'string') return `answered ${status}: ${foreign(said)}`;
  if (status === 404) {
    return 'has no /api/v1/query (404). If it is served under a path, include it: http://HOST/prometheus.';
  }
  if (status !== 200) return `answered ${status}.`;
  if (answer !== undefined) return undefined;
  if (wrong?.startsWith('has more')) return tooMuch;
  if (wrong?.startsWith('is nested')) return `sent JSON that ${wrong}. Is it Prometheus?`;
  const type = headers['content-type'];
  return `did not answer with JSON${type === undefined ? '' : ` (content-type: ${foreign(type)})`}. Is it Prometheus, or a login page?`;
}

type Json = Readonly<Record<string, unknown>>;

function vectorOf(answer: Json | undefined, foreign: Foreign): Vector | undefined {
  const data = answer?.['data'];
  if (answer?.['status'] !== 'success' || !isRecord(data) || data['resultType'] !== 'vector')
    return undefined;
  const { result } = data;
  if (!Array.isArray(result)) return undefined;
  const samples: Sample[] = [];
  let at: number | undefined;
  for (const item of result) {
    const { metric, value: pair }: Json = isRecord(item) ? item : {};
    if (!isLabels(metric) || !Array.isArray(pair)) return undefined;
    const [time, value]: readonly unknown[] = pair;
    if (typeof time !== 'number' || !(Math.abs(time) < latest) || typeof value !== 'string') return undefined;
    at ??= time * 1000;
    samples.push({ labels: metric, value: Number(value) });
  }
  const { warnings } = answer;
  return { samples, at, warnings: Array.isArray(warnings) ? warningsOf(warnings, foreign) : [] };
}

function isLabels(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((label) => typeof label === 'string');
}

/** A Prometheus that consists of several names those that did not answer. */
function warningsOf(warnings: readonly unknown[], foreign: Foreign): readonly string[] {
  return warnings.slice(0, maxWarnings).map((warning) => foreign(describe(warning)));
}
