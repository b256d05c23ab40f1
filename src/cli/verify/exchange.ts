import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { textOf } from '../../core/scrub/scrub.js';

/** What came back of one request. */
export interface Exchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Milliseconds from the first byte sent to the last one received. */
  readonly ms: number;
  /** Why there was no answer; then `status` is 0. */
  readonly failure?: string;
}

/** A service under test. It is a stranger: nothing it sends may keep us waiting or fill our memory. */
export interface Service {
  /** Without a slash at its end; may have a path before the endpoints. */
  readonly base: string;
  /** Milliseconds that one exchange may take, from the first byte to the last. */
  readonly timeout: number;
  readonly insecure: boolean;
  /** When nothing more is asked, by `performance.now()`. */
  readonly until: number;
}

const userAgent = 'lifesign-verify';
/** Beyond any body of the contract, packed or not. */
export const mostBytes = 1024 * 1024;
const mostHeadBytes = 16 * 1024;

type Answer = Pick<Exchange, 'status' | 'headers' | 'body'>;
/** Ends an exchange, with an answer or with the reason why there is none. */
type Settle = (outcome: Answer | string) => void;

/** Begins an exchange and returns how to end it: `late` when its time is over, `destroy` always. */
type Begin = (settle: Settle) => { readonly late?: () => unknown; destroy(): unknown };

/** Runs one exchange. Never rejects: no answer is an answer too. */
function within({ timeout, until }: Service, begin: Begin): Promise<Exchange> {
  const started = performance.now();
  const time = Math.min(timeout, until - started);
  const none = { status: 0, headers: {}, body: Buffer.alloc(0) };
  if (time <= 0) {
    return Promise.resolve({ ...none, ms: 0, failure: 'not asked: the time for all requests is over' });
  }
  return new Promise((resolve) => {
    const settle: Settle = (outcome) => {
      clearTimeout(timer);
      connection.destroy();
      const ms = performance.now() - started;
      resolve(typeof outcome === 'string' ? { ...none, ms, failure: outcome } : { ...outcome, ms });
    };
    const timer = setTimeout(() => {
      connection.late?.();
      settle(`no answer within ${Math.round(time)} ms`);
    }, time);
    const connection = begin(settle);
  });
}

/** One request over a connection of its own. Redirects are not followed. */
export function ask(
  service: Service,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Exchange> {
  const url = new URL(service.base + path);
  const options = {
    method,
    agent: false as const,
    // Taken as it is: a URL object would tidy up what a rule wants to send.
    path: url.pathname + url.search,
    headers: { 'User-Agent': userAgent, 'Accept-Encoding': 'identity', Connection: 'close', ...headers },
    rejectUnauthorized: !service.insecure,
    maxHeaderSize: mostHeadBytes,
  };
  return within(service, (settle) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > mostBytes) settle(`the body is larger than ${mostBytes} bytes`);
      });
      response.on('error', (error) => settle(textOf(error)));
      response.on('end', () => {
        const { statusCode = 0, headers } = response;
        settle({ status: statusCode, headers, body: Buffer.concat(chunks) });
      });
    });
    request.on('error', (error) => settle(textOf(error)));
    // 101 Switching Protocols ends here; an answer that is complete has its say first.
    const closed = () => settle('the connection was closed before an answer was complete');
    request.on('close', () => setImmediate(closed));
    request.end();
    return request;
  });
}

/** HEAD over a plain socket: node:http would hide a body that must not be there. */
export function askHead(service: Service, path: string): Promise<Exchange> {
  const url = new URL(service.base + path);
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (secure ? 443 : 80);
  return within(service, (settle) => {
    const socket = secure
      ? connectTls({ host, port, servername: isIP(host) ? '' : host, rejectUnauthorized: !service.insecure })
      : connectTcp(port, host);
    const chunks: Buffer[] = [];
    let size = 0;
    const end = () => settle(parseHead(Buffer.concat(chunks)));
    socket.on('error', (error) => settle(textOf(error)));
    socket.on('end', end);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      // Whatever comes after the head is one byte too many already.
      if (size > mostHeadBytes) end();
    });
    socket.write(
      `HEAD ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nUser-Agent: ${userAgent}\r\nConnection: close\r\n\r\n`,
    );
    return { late: () => size > 0 && end(), destroy: () => socket.destroy() };
  });
}

/** The answer in what came; interim answers (1xx) are passed over. */
function parseHead(received: Buffer): Answer | string {
  const text = received.toString('latin1');
  for (let start = 0; ;) {
    const end = text.indexOf('\r\n\r\n', start);
    const [first = '', ...lines] = text.slice(start, Math.max(end, start)).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0);
    if (status === 0) return 'no HTTP answer';
    start = end + 4;
    if (status < 200) continue;
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    return { status, headers, body: received.subarray(start) };
  }
}
