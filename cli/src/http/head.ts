import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Answer, type Exchange, maxHeadBytes, serverName, type Service, within } from './exchange.js';
import { failureOf } from './exchange.js';
import { portOf } from './proxy.js';

/** HEAD over a plain socket: node:http would hide a body that must not be there. */
export function askHead(
  service: Service,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Exchange> {
  const url = new URL(service.base + path);
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(portOf(url));
  return within(service, (settle) => {
    const socket = secure
      ? connectTls({ host, port, servername: serverName(url), rejectUnauthorized: !service.insecure })
      : connectTcp(port, host);
    const chunks: Buffer[] = [];
    let size = 0;
    const end = () => settle(parseHead(Buffer.concat(chunks)));
    socket.on('error', (error) => settle(failureOf(error)));
    socket.on('end', end);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      // A byte after the head is one too many already.
      if (size > maxHeadBytes) end();
    });
    const all = {
      Host: url.host,
      'User-Agent': 'lifesign',
      'Accept-Encoding': 'identity',
      ...service.headers,
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`HEAD ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}Connection: close\r\n\r\n`);
    return { late: () => size > 0 && end(), destroy: () => socket.destroy() };
  });
}

/** The response in the received bytes; interim responses (1xx) are skipped. */
function parseHead(received: Buffer): Answer | string {
  const text = received.toString('latin1');
  for (let start = 0; ;) {
    const end = text.indexOf('\r\n\r\n', start);
    const [first = '', ...lines] = text.slice(start, Math.max(end, start)).split('\r\n');
    if (!/^HTTP\/1\.[01] \d{3}/.test(first)) return 'no HTTP response';
    const status = Number(first.slice(9, 12));
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
