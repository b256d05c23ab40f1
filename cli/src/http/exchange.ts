import {
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  request as requestHttp,
  type RequestOptions,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { openTunnel, proxyHeaders } from './proxy.js';
import { textOf, unreachable, urlInvalid, usageInvalid } from '../../../src/tools.js';

/** The response to one request. */
export interface Exchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Milliseconds from the first byte sent to the last one received. */
  readonly ms: number;
  /** Why there was no answer; then `status` is 0. */
  readonly failure?: string;
}

/** An untrusted service: nothing it sends may keep us waiting or fill our memory. */
export interface Service {
  /** Without a slash at its end; may have a path before the endpoints. */
  readonly base: string;
  /** Milliseconds that one exchange may take, from the first byte to the last. */
  readonly timeout: number;
  readonly insecure: boolean;
  /** When no more requests are sent, by `performance.now()`. */
  readonly until: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** One address of the host, if only that one is meant. */
  readonly address?: string;
  readonly proxy?: URL;
  /** Bytes that a body may have; 1 MiB unless given. */
  readonly maxBytes?: number;
  /** Bytes that all exchanges together may still receive. */
  readonly budget?: { left: number };
}

/** Beyond any body of the contract, packed or not. */
export const maxBytes = 1024 * 1024;
export const maxHeadBytes = 16 * 1024;

/** The error of an exchange with too many bytes. */
export const overBudget = 'the bodies of all responses are too large';

export type Answer = Pick<Exchange, 'status' | 'headers' | 'body'>;
/** Ends an exchange, with an answer or with the reason why there is none. */
type Settle = (outcome: Answer | string) => void;

/** Begins an exchange and returns how to end it: `late` when its time is up, `destroy` always. */
export type Begin = (settle: Settle) => { readonly late?: () => unknown; destroy(): unknown };

/** Runs one exchange. Never rejects: no answer is an answer too. */
export function within({ timeout, until }: Service, begin: Begin): Promise<Exchange> {
  const started = performance.now();
  const time = Math.min(timeout, until - started);
  const none = { status: 0, headers: {}, body: Buffer.alloc(0) };
  if (time <= 0) {
    return Promise.resolve({ ...none, ms: 0, failure: 'not requested: the total time limit was reached' });
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
  const options: Options = {
    method,
    agent: false,
    // Else the password of a proxy would go to the service.
    auth: null,
    // Sent unchanged: a URL object would normalise what a rule wants to send.
    path: url.pathname + url.search,
    headers: withoutEmpty({
      'User-Agent': 'lifesign',
      'Accept-Encoding': 'identity',
      Connection: 'close',
      ...service.headers,
      ...headers,
    }),
    maxHeaderSize: maxHeadBytes,
    // Else only the first of two Content-Types would be seen.
    joinDuplicateHeaders: true,
  };
  const { proxy } = service;
  return within(service, (settle) => {
    if (proxy === undefined) return send(service, url, options, settle);
    if (url.protocol === 'http:') {
      // To the proxy itself, with the whole address.
      const all = { ...options.headers, ...proxyHeaders(proxy), Host: url.host };
      return send(service, proxy, { ...options, path: url.href, headers: all }, settle);
    }
    let current = openTunnel(proxy, url, maxHeadBytes, (outcome) => {
      if (typeof outcome === 'string') settle(outcome);
      else current = send(service, url, { ...options, createConnection: () => secured(outcome) }, settle);
    });
    const secured = (socket: Socket) =>
      connectTls({ socket, servername: serverName(url), rejectUnauthorized: !service.insecure });
    return { destroy: () => current.destroy() };
  });
}

/** A client that leaves as soon as its request is sent. */
export const leave = (
  { base, insecure }: Omit<Service, 'until'>,
  path: string,
  headers: OutgoingHttpHeaders,
) =>
  new Promise<void>((resolve) => {
    const send = base.startsWith('https:') ? requestHttps : requestHttp;
    const request = send(base + path, { agent: false, rejectUnauthorized: !insecure, headers });
    request.on('error', () => {}).on('close', resolve);
    request.on('finish', () => request.destroy()).end();
  });

/** An empty value leaves a header out. */
const withoutEmpty = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));

type Options = Omit<RequestOptions, 'headers'> & { readonly headers: Readonly<Record<string, string>> };

/** For TLS, which has no names that are addresses. */
export function serverName({ hostname }: URL): string {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? host : '';
}

function send(service: Service, url: URL, options: Options, settle: Settle): { destroy(): unknown } {
  const { address, insecure, maxBytes: most = maxBytes, budget } = service;
  const direct = address === undefined ? {} : { hostname: address, servername: serverName(url) };
  const host = address === undefined ? {} : { Host: url.host };
  const all = {
    ...options,
    ...direct,
    rejectUnauthorized: !insecure,
    headers: { ...host, ...options.headers },
  };
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, all, (response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      // A chunk of one byte holds a hundred more.
      if (chunks.length === 512) chunks.splice(0, 512, Buffer.concat(chunks));
      size += chunk.length;
      if (budget !== undefined) budget.left -= chunk.length;
      if (size > most) settle(`the body is larger than ${most} bytes`);
      else if (budget !== undefined && budget.left < 0) settle(overBudget);
    });
    response.on('error', (error) => settle(failureOf(error)));
    response.on('end', () => {
      const { statusCode = 0, headers } = response;
      settle({ status: statusCode, headers, body: Buffer.concat(chunks) });
    });
  });
  request.on('error', (error) => settle(failureOf(error)));
  // 101 Switching Protocols ends here; an answer that is complete has its say first.
  const closed = () => settle('the connection was closed before the response was complete');
  request.on('close', () => setImmediate(closed));
  request.end();
  return request;
}

/** Why there was no response: our text, or the message of an error that has none. */
export function failureOf(error: Error): string {
  return unreachable(error) ?? textOf(error);
}

/** The address before the endpoints; the address of an endpoint is accepted too. User, password and query are left out. */
export function baseOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw urlInvalid('The address', url.replace(/^[^]*@/, '***@'), 'a URL such as http://localhost:8000');
  }
  const { origin, pathname } = new URL(url);
  const path = pathname.replace(/\/__(?:version|heartbeat|lbheartbeat)__\/?$/, '');
  return origin + path.replace(/(?<!\/)\/+$/, '');
}

/** The headers of `--header 'Name: value'`. Their values may be secret: no message shows them. */
export function headersOf(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === '' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw usageInvalid('--header is not a header; write --header "Name: value"');
    }
    headers[name] = value.trim();
  }
  return headers;
}
