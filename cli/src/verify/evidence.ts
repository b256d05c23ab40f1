import { isIP } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { ask, type Exchange, leave, maxBytes, type Service } from '../http/exchange.js';
import { askHead } from '../http/head.js';
import { quoted } from './rule.js';

export const endpoints = ['version', 'heartbeat', 'lbheartbeat'] as const;
export type EndpointName = (typeof endpoints)[number];

/** Methods the endpoints must refuse. */
const refused = ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'] as const;

/** All responses of one endpoint. */
export interface EndpointEvidence {
  /** Three times the same GET. */
  readonly gets: readonly [Exchange, Exchange, Exchange];
  readonly gzip: Exchange;
  /** The body of `gzip` without its packing. */
  readonly unpacked: Unpacked;
  /** A client that says it has the answer already. */
  readonly conditional: Exchange;
  readonly head: Exchange;
  readonly options: Exchange;
  readonly refused: ReadonlyMap<string, Exchange>;
  readonly slash: Exchange;
  readonly query: Exchange;
  /** The responses to other kinds of clients, by their header. */
  readonly clients: ReadonlyMap<string, Exchange>;
  /** A client that refuses gzip by its quality. */
  readonly noGzip: Exchange;
  /** Paths that are the application's own: with a letter more, one below, and in capitals. */
  readonly strangers: ReadonlyMap<string, Exchange>;
}

export type Evidence = Readonly<Record<EndpointName, EndpointEvidence>>;

/** A request that was answered, or that verify left without its answer: it must be in the log. */
export interface Sent {
  readonly rid: string;
  readonly method: string;
  readonly path: string;
  /** undefined if verify did not wait for it. */
  readonly code: number | undefined;
}

/** Requests as other clients send them; an empty value leaves a header out. */
const clients: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'Accept: */*': { Accept: '*/*' },
  'a Range': { Range: 'bytes=0-3' },
  'no User-Agent': { 'User-Agent': '' },
  'an Origin': { Origin: 'https://verify.invalid' },
  'a browser': { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
  'a kubelet': { 'User-Agent': 'kube-probe/1.34', Accept: '*/*' },
  'a load balancer of AWS': { 'User-Agent': 'ELB-HealthChecker/2.0' },
  'a load balancer of Google': { 'User-Agent': 'GoogleHC/1.0' },
  'a client of Go': { 'User-Agent': 'Go-http-client/1.1' },
  curl: { 'User-Agent': 'curl/8.5.0', Accept: '*/*' },
  // A kubelet and a load balancer know no name. If a name was requested, a proxy may need it.
  'an address as Host': { Host: '10.0.0.1:8000' },
};

const named = Object.keys(clients).filter((name) => clients[name]?.['Host'] === undefined);

/** How many requests `gather` makes at most. */
const requestsEach = 3 + 4 + 5 + 1 + Object.keys(clients).length + refused.length;
export const requestCount = endpoints.length * requestsEach;

export const probes = ['livez', 'readyz', 'startupz'] as const;
export type ProbeEvidence = Readonly<Record<(typeof probes)[number], EndpointEvidence>>;

/** How many requests `gatherProbes` makes. */
export const probeRequestCount = probes.length * requestsEach;

/** As many slow answers are waited for at each endpoint. */
const slowAnswers = 20;

/** Sends requests to a service, and remembers them. */
export class Asker {
  readonly sent: Sent[] = [];
  readonly #service: Omit<Service, 'until'>;
  #until = 0;
  readonly #run: string;
  readonly #step: (what: string) => void;
  #count = 0;

  /** `run` is in the id of each request, so that older lines of the log are not taken for ours. */
  constructor(service: Omit<Service, 'until'>, run: string, step: (what: string) => void) {
    this.#service = service;
    this.#run = run;
    this.#step = step;
    this.renew();
  }

  /** Whether an address was requested, not a name. */
  get isDirect(): boolean {
    const { hostname } = new URL(this.#service.base);
    return hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) > 0;
  }

  /** Leaves a heartbeat without its answer, as a probe does when its time is up: the next request shows what that did. */
  async abort(): Promise<void> {
    const path = '/__heartbeat__';
    const rid = this.#nextId();
    await leave(this.#service, path, { 'X-Request-Id': rid, 'User-Agent': 'lifesign' });
    const { pathname } = new URL(this.#service.base + path);
    this.sent.push({ rid, method: 'GET', path: pathname, code: undefined });
  }

  #nextId(): string {
    this.#count += 1;
    return `lifesign-${this.#run}-${this.#count}`;
  }

  /** Gives the next endpoint a time of its own: a slow one must not take it from the others. */
  renew(): void {
    this.#until = performance.now() + slowAnswers * this.#service.timeout;
  }

  async ask(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Exchange> {
    this.#step(`${method} ${target}`);
    const rid = this.#nextId();
    const all = { 'X-Request-Id': rid, ...headers };
    const service = { ...this.#service, until: this.#until };
    const exchange =
      method === 'HEAD' ? await askHead(service, target, all) : await ask(service, method, target, all);
    if (exchange.failure === undefined) {
      const { pathname } = new URL(this.#service.base + target);
      this.sent.push({ rid, method, path: pathname, code: exchange.status });
    }
    return exchange;
  }
}

/** Requests from a service all that the rules need, one request after the other, as probes come. */
export async function gather(asker: Asker): Promise<Evidence> {
  return {
    version: await gatherEndpoint(asker, '/__version__'),
    heartbeat: await gatherEndpoint(asker, '/__heartbeat__'),
    lbheartbeat: await gatherEndpoint(asker, '/__lbheartbeat__'),
  };
}

/** Requests the same from the three probes. */
export async function gatherProbes(asker: Asker): Promise<ProbeEvidence> {
  return {
    livez: await gatherEndpoint(asker, '/livez'),
    readyz: await gatherEndpoint(asker, '/readyz'),
    startupz: await gatherEndpoint(asker, '/startupz'),
  };
}

async function eachOf(names: readonly string[], ask: (name: string) => Promise<Exchange>) {
  const answers = new Map<string, Exchange>();
  for (const name of names) answers.set(name, await ask(name));
  return answers;
}

async function gatherEndpoint(asker: Asker, path: string): Promise<EndpointEvidence> {
  asker.renew();
  const first = await asker.ask('GET', path);
  // Nothing can be judged without it, and a service that hangs would do so a dozen times.
  const ask: Asker['ask'] = async (...request) =>
    first.failure === undefined ? asker.ask(...request) : first;
  const gets = [first, await ask('GET', path), await ask('GET', path)] as const;
  const gzip = await ask('GET', path, { 'Accept-Encoding': 'gzip' });
  const own = [`${path}x`, `${path}/lifesign-verify`, path.toUpperCase()];
  return {
    gets,
    gzip,
    unpacked: unpack(gzip),
    conditional: await ask('GET', path, conditionOf(first)),
    head: await ask('HEAD', path),
    options: await ask('OPTIONS', path),
    refused: await eachOf(refused, (method) => ask(method, path)),
    slash: await ask('GET', `${path}/`),
    query: await ask('GET', `${path}?lifesign=1`),
    strangers: await eachOf(own, (target) => ask('GET', target)),
    clients: await eachOf(asker.isDirect ? Object.keys(clients) : named, (name) =>
      ask('GET', path, clients[name]),
    ),
    noGzip: await ask('GET', path, { 'Accept-Encoding': 'gzip;q=0' }),
  };
}

/** Anything that would let a server say "not modified". */
function conditionOf({ headers }: Exchange): Readonly<Record<string, string>> {
  const { etag, 'last-modified': modified } = headers;
  if (etag !== undefined) return { 'If-None-Match': etag };
  return { 'If-None-Match': '*', 'If-Modified-Since': modified ?? new Date().toUTCString() };
}

/** A decompressed body, or the problem with its encoding. */
type Unpacked = { readonly body: Buffer } | { readonly wrong: string };

/** The body of an answer to a client that accepts gzip. */
function unpack({ headers, body }: Exchange): Unpacked {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') {
    const isPacked = body[0] === 0x1f && body[1] === 0x8b;
    return isPacked ? { wrong: 'the body is gzip but content-encoding does not say so' } : { body };
  }
  if (encoding !== 'gzip') {
    return { wrong: `content-encoding is ${quoted(encoding)} where gzip was accepted` };
  }
  try {
    return { body: gunzipSync(body, { maxOutputLength: maxBytes }) };
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE'
      ? { wrong: `the gzip body has more than ${maxBytes} bytes when unpacked` }
      : { wrong: 'content-encoding is "gzip" but the body is not' };
  }
}

/** An answer to a GET of the endpoint, and how it was requested: empty for the plain one. */
export interface Answer {
  readonly asked: string;
  readonly exchange: Exchange;
}

/** All responses to GET, however requested: a service that flaps must not pass because of its first response. */
export function answersOf({
  gets,
  gzip,
  unpacked,
  conditional,
  query,
  clients,
}: EndpointEvidence): readonly Answer[] {
  // A wrong encoding is reported by its own rule.
  const readable =
    'body' in unpacked ? [{ asked: 'with gzip', exchange: { ...gzip, body: unpacked.body } }] : [];
  const all: readonly Answer[] = [
    ...repeated(gets),
    ...readable,
    // Without a body; a rule of its own judges that.
    ...(conditional.status === 304 ? [] : [{ asked: 'with If-None-Match', exchange: conditional }]),
    // A service may have no answer for a query: that is a rule of its own too.
    ...(gets.some(({ status }) => status === query.status)
      ? [{ asked: 'with a query string', exchange: query }]
      : []),
    // Another status is a matter of their own rule.
    ...[...clients]
      .filter(([, { status }]) => gets.some((get) => get.status === status))
      .map(([name, exchange]) => ({ asked: `with ${name}`, exchange })),
  ];
  return all.filter(({ exchange }) => exchange.failure === undefined);
}

const times = ['', 'the second time', 'the third time'];

/** The answers to the same GET. */
export const repeated = (gets: readonly Exchange[]): readonly Answer[] =>
  gets.map((exchange, index) => ({ asked: times[index] ?? '', exchange }));

/** The first objection to any of the answers. */
export function judgeEach<T extends Answer>(
  answers: readonly T[],
  judge: (exchange: Exchange, answer: T) => string | undefined,
): string | undefined {
  for (const answer of answers) {
    const { asked, exchange } = answer;
    const wrong = judge(exchange, answer);
    if (wrong !== undefined) return asked === '' ? wrong : `GET ${asked}: ${wrong}`;
  }
  return undefined;
}

export function shownStatus({ status, failure }: Exchange): string {
  return failure ?? String(status);
}
