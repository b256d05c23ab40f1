import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { JsonLogFormatter } from 'lifesign/logging';

/** An answer as it goes over the wire. */
export interface Wire {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Milliseconds to wait before it. */
  delay?: number;
  /** Sends the body of a HEAD too. */
  bodyOnHead?: boolean;
  /** Not packed, whoever asks. */
  plain?: boolean;
  /** Closes the connection instead. */
  destroy?: boolean;
}

/** What was asked. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The kinds of GET that verify has; anything else is `other`. */
  readonly kind: 'plain' | 'gzip' | 'conditional' | 'query' | 'other';
  /** How often this kind was asked of this path: 1 for the first time. */
  readonly nth: number;
}

/** Spoils a right answer. */
export type Spoil = (answer: Wire, asked: Asked) => void;

const allow = 'GET, HEAD, OPTIONS';
const common = { Vary: 'Accept-Encoding', 'Cache-Control': 'no-store' };

/** The contract written by hand, without lifesign: what a service in any language would do. */
function right(method: string, target: string): Wire {
  const path = (target.split('?')[0] ?? '').replace(/(.)\/$/, '$1');
  const json = (status: number, value: unknown): Wire => ({
    status,
    headers: { 'Content-Type': 'application/json', ...common },
    body: JSON.stringify(value),
  });
  const bodies: Record<string, unknown> = {
    '/__version__': {
      commit: 'abc',
      version: '1.0.0',
      source: 'https://example.org',
      build: 'https://ci.example.org/1',
    },
    '/__heartbeat__': { status: 'ok', checks: { db: 'ok', cache: 'ok' }, details: {} },
    '/__lbheartbeat__': { status: 'ok' },
  };
  if (!Object.hasOwn(bodies, path))
    return { status: 404, headers: { 'Content-Type': 'text/html' }, body: '<h1>404</h1>' };
  if (method === 'OPTIONS') return { status: 204, headers: { ...common, Allow: allow }, body: '' };
  if (method !== 'GET' && method !== 'HEAD') {
    const refusal = json(405, { error: 'method not allowed' });
    return { ...refusal, headers: { ...refusal.headers, Allow: allow } };
  }
  return json(200, bodies[path]);
}

/** One running service; `lines` is its log. */
export interface Running {
  readonly url: string;
  readonly lines: string[];
  close(): Promise<void>;
}

const formatter = new JsonLogFormatter({ loggerName: 'shop' });

/** Serves the contract with one defect on a free loopback port. */
export async function start(spoil: Spoil = () => {}): Promise<Running> {
  const times = new Map<string, number>();
  const lines: string[] = [];
  const server = createServer((req, res) => {
    const [method, path] = [req.method ?? '', req.url ?? ''];
    const answer = right(method, path);
    const kind = kindOf(req);
    const key = `${kind} ${method} ${path}`;
    const nth = (times.get(key) ?? 0) + 1;
    times.set(key, nth);
    spoil(answer, { method, path, headers: req.headers, kind, nth });
    const send = () => {
      if (answer.destroy === true) {
        req.socket.destroy();
        return;
      }
      const { body, headers } = pack(answer, req);
      const fields = {
        errno: answer.status >= 500 ? answer.status : 0,
        agent: 'lifesign',
        lang: '',
        method,
        path: path.split('?')[0] ?? '',
        code: answer.status,
        uid: '',
        t: 1,
        rid: String(req.headers['x-request-id'] ?? 'none'),
      };
      lines.push(
        formatter.format({ logger: 'request.summary', level: 20, time: Date.now(), fields }).trimEnd(),
      );
      res.writeHead(answer.status, headers);
      if (answer.bodyOnHead === true && method === 'HEAD') {
        res.flushHeaders();
        res.socket?.write(body);
      }
      res.end(body);
    };
    if (answer.delay === undefined) send();
    else setTimeout(send, answer.delay);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    lines,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function kindOf({ method, url = '', headers }: IncomingMessage): Asked['kind'] {
  if (method !== 'GET') return 'other';
  if (url.includes('?')) return 'query';
  if (headers['accept-encoding'] === 'gzip') return 'gzip';
  return headers['if-none-match'] === undefined ? 'plain' : 'conditional';
}

function pack(
  { status, headers, body, plain }: Wire,
  req: IncomingMessage,
): { body: string | Buffer; headers: Record<string, string> } {
  const accepts = req.headers['accept-encoding'] === 'gzip';
  if (plain === true || !accepts || status === 204 || status === 304) return { body, headers };
  return { body: gzipSync(body), headers: { ...headers, 'Content-Encoding': 'gzip' } };
}
