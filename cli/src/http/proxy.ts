import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { textOf, unreachable, urlInvalid } from '../../../src/tools.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** The proxy that the environment names for an address, as curl reads it; undefined for none. */
export function proxyFor(url: URL, env: Variables): URL | undefined {
  const scheme = url.protocol.slice(0, -1);
  // HTTP_PROXY in capitals is a header of a request to a CGI program; a command line is not.
  const names = [`${scheme}_proxy`, `${scheme}_proxy`.toUpperCase(), 'all_proxy', 'ALL_PROXY'];
  const name = names.find((candidate) => (env[candidate] ?? '') !== '');
  if (name === undefined || isExcepted(url, env['no_proxy'] ?? env['NO_PROXY'] ?? '')) return undefined;
  const value = env[name] ?? '';
  const address = value.includes('://') ? value : `http://${value}`;
  if (URL.canParse(address) && /^https?:/.test(address)) return new URL(address);
  throw urlInvalid(
    name,
    value.replace(/^[^]*@/, '***@'),
    'the URL of an HTTP proxy such as http://proxy:3128; to bypass it, unset it or add the host to NO_PROXY',
  );
}

/** The port of an address, or the default of its protocol. */
export const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');

/** `*`, `example.org` with all below it, `.example.org`, each with a port or without. */
function isExcepted(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const actual = portOf(url);
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, named = '', wanted] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    const name = named.replace(/^\[|\]$/g, '');
    if (name === '' || (wanted !== undefined && wanted !== actual)) return false;
    return host === name || host.endsWith(`.${name}`);
  });
}

/** The user and the password in an address; undefined if it has neither. */
export function credentialsIn({ username, password }: URL): { password: string; basic: string } | undefined {
  if (username === '' && password === '') return undefined;
  const [user, secret] = [decoded(username), decoded(password)];
  return { password: secret, basic: Buffer.from(`${user}:${secret}`).toString('base64') };
}

/** A `%` that encodes nothing stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The credentials for a proxy, if its address has them. */
export function proxyHeaders(proxy: URL): Record<string, string> {
  const credentials = credentialsIn(proxy);
  return credentials === undefined ? {} : { 'Proxy-Authorization': `Basic ${credentials.basic}` };
}

/** Opens a tunnel through a proxy to an address; calls back with the socket, or with why there is none. */
export function openTunnel(
  proxy: URL,
  url: URL,
  maxHeaderSize: number,
  settle: (outcome: Socket | string) => void,
): { destroy(): unknown } {
  const target = `${url.hostname}:${portOf(url)}`;
  const request = (proxy.protocol === 'https:' ? requestHttps : requestHttp)({
    hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port,
    method: 'CONNECT',
    path: target,
    agent: false,
    headers: { Host: target, ...proxyHeaders(proxy) },
    maxHeaderSize,
  });
  let opened: Socket | undefined;
  request.on('connect', ({ statusCode }, socket) => {
    opened = socket;
    if (statusCode === 200) return settle(socket);
    settle(`the proxy answered ${statusCode}`);
  });
  request.on('response', ({ statusCode }) => settle(`the proxy answered ${statusCode}`));
  request.on('error', (error) => settle(`the proxy: ${unreachable(error, '') ?? textOf(error)}`));
  request.end();
  return {
    destroy() {
      opened?.destroy();
      request.destroy();
    },
  };
}
