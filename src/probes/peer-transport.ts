import { attempt } from '../core/runtime.js';
import { realClock } from '../core/time.js';
import { peerLookupTimeout, peerTimeout, reachTimeout } from './limits.js';

export interface Place {
  readonly address: string;
  readonly port: number;
}

/** How peers are resolved and asked: a simulation has its own network. */
export interface PeerTransport {
  /** All addresses of `name:port`. Never rejects. */
  resolve(address: string): Promise<readonly Place[]>;
  /** The body of an answer; an empty text for anything else. Never rejects. */
  get(place: Place, path: string): Promise<string>;
  /** Watches whether the event loop of this process is too busy to judge a slow answer, until the returned function is called. */
  watchDelay(): () => boolean;
}

/** Over DNS and HTTP. */
export const realTransport: PeerTransport = { resolve: resolvePlaces, get, watchDelay };

async function resolvePlaces(address: string): Promise<readonly Place[]> {
  const colon = address.lastIndexOf(':');
  const name = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  const port = Number(address.slice(colon + 1));
  const dns = process.getBuiltinModule('node:dns');
  const lookup = new Promise<readonly Place[]>((resolve) => {
    dns.lookup(name, { all: true }, (error, results) => {
      resolve(error === null ? results.map((result) => ({ address: result.address, port })) : []);
    });
  });
  return realClock.within<readonly Place[]>(lookup, peerLookupTimeout, []);
}

/** Characters of an answer. */
const maxAnswerLength = 1024;

function get({ address, port }: Place, path: string): Promise<string> {
  return new Promise<string>((resolve) => {
    const http = process.getBuiltinModule('node:http');
    const options = { host: address, port, path, agent: false, timeout: peerTimeout };
    const request = http.get(options, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        body += part;
        if (body.length > maxAnswerLength) request.destroy();
      });
      response.on('close', () => resolve(response.complete && response.statusCode === 200 ? body : ''));
      response.on('error', () => resolve(''));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(''));
    // Also an answer that never ends.
    request.on(
      'close',
      realClock.after(peerTimeout, () => request.destroy()),
    );
  }).catch(() => '');
}

/** The process counts as busy if its event loop was idle for less time than a peer may take: a slow answer then proves nothing about the network. */
function watchDelay(): () => boolean {
  const loop = process.getBuiltinModule('node:perf_hooks').performance;
  // Bun and Deno have none.
  const began = attempt(() => loop.eventLoopUtilization());
  return () => {
    const { active = 0, idle = 0 } = (began && loop.eventLoopUtilization(began)) ?? {};
    return active > 0 && active + idle > reachTimeout && idle <= reachTimeout;
  };
}
