import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer as it goes over the wire. */
export interface Wire {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Milliseconds to wait before it. */
  delay?: number;
  /** Sends the body of a HEAD too. */
  bodyOnHead?: boolean;
}

/** A planted defect: what it does to a right answer, and the rules that must find it. */
export interface Defect {
  readonly finds: readonly string[];
  /** What else the operator tells verify. */
  readonly args?: readonly string[];
  readonly spoil: (
    answer: Wire,
    request: { method: string; path: string; headers: IncomingMessage['headers'] },
  ) => void;
}

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

/** Serves the contract with one defect on a free loopback port. */
export async function start(
  spoil: Defect['spoil'] = () => {},
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((req, res) => {
    const [method, path] = [req.method ?? '', req.url ?? ''];
    const answer = right(method, path);
    spoil(answer, { method, path, headers: req.headers });
    const send = () => {
      res.writeHead(answer.status, answer.headers);
      if (answer.bodyOnHead === true && method === 'HEAD') {
        res.flushHeaders();
        res.socket?.write(answer.body);
      }
      res.end(answer.body);
    };
    if (answer.delay === undefined) send();
    else setTimeout(send, answer.delay);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
