import { type ClientRequest, type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { textOf } from '../../core/scrub.js';

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

/** A service under test. */
export interface Service {
  /** Without a slash at its end; may have a path before the endpoints. */
  readonly base: string;
  readonly timeout: number;
  readonly insecure: boolean;
}

const userAgent = 'lifesign-verify';
// Beyond any body of the contract: a service that streams without end must not fill our memory.
const mostBytes = 4 * 1024 * 1024;

/** One request over a connection of its own. Never rejects: no answer is an answer too. */
export function ask(
  service: Service,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Exchange> {
  const url = new URL(service.base + path);
  const started = performance.now();
  return new Promise((resolve) => {
    let request: ClientRequest | undefined;
    const fail = (failure: string) => {
      request?.destroy();
      resolve({ status: 0, headers: {}, body: Buffer.alloc(0), ms: performance.now() - started, failure });
    };
    const timer = setTimeout(() => fail(`no answer within ${service.timeout} ms`), service.timeout);
    const options = {
      method,
      agent: false as const,
      // Taken as it is: a URL object would tidy up what a rule wants to send.
      path: url.pathname + url.search,
      headers: { 'User-Agent': userAgent, 'Accept-Encoding': 'identity', Connection: 'close', ...headers },
      rejectUnauthorized: !service.insecure,
    };
    request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > mostBytes) fail(`the body is larger than ${mostBytes} bytes`);
      });
      response.on('error', (error) => fail(textOf(error)));
      response.on('end', () => {
        clearTimeout(timer);
        const { statusCode = 0, headers } = response;
        resolve({
          status: statusCode,
          headers,
          body: Buffer.concat(chunks),
          ms: performance.now() - started,
        });
      });
    });
    request.on('error', (error) => {
      clearTimeout(timer);
      fail(textOf(error));
    });
    request.end();
  });
}

/** HEAD over a plain socket: node:http would hide a body that must not be there. */
export function askHead(service: Service, path: string): Promise<Exchange> {
  const url = new URL(service.base + path);
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (secure ? 443 : 80);
  const started = performance.now();
  return new Promise((resolve) => {
    const socket = secure
      ? connectTls({ host, port, servername: host, rejectUnauthorized: !service.insecure })
      : connectTcp(port, host);
    let received = Buffer.alloc(0);
    const end = (failure?: string) => {
      socket.destroy();
      resolve(parseHead(received, performance.now() - started, failure));
    };
    socket.setTimeout(service.timeout, () => end('the connection was not closed in time'));
    socket.on('error', (error) => end(textOf(error)));
    socket.on('end', () => end());
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
    });
    socket.write(
      `HEAD ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nUser-Agent: ${userAgent}\r\nConnection: close\r\n\r\n`,
    );
  });
}

function parseHead(received: Buffer, ms: number, failure: string | undefined): Exchange {
  const end = received.indexOf('\r\n\r\n');
  const [first = '', ...lines] = received.toString('latin1', 0, Math.max(end, 0)).split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const body = end === -1 ? Buffer.alloc(0) : received.subarray(end + 4);
  if (status === 0) return { status, headers, body, ms, failure: failure ?? 'no HTTP answer' };
  return { status, headers, body, ms };
}
