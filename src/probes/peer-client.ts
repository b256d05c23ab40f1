import { within } from '../core/deadlines.js';
import { host } from '../core/runtime.js';
import { peerPath } from './peer-path.js';
import type { PeerAnswer, PeerState } from './peers.js';

/** Peers that are asked at a time, and the milliseconds that finding and asking them may take. */
const mostAsked = 3;
const resolveTimeout = 500;
const askTimeout = 600;
/** Milliseconds after the failure before peers are asked: they run their checks every second. */
const settleTime = 1500;
const shortestWatch = 200;
/** An event loop that is busier cannot tell whether the network is slow. */
const mostBusy = 0.9;
/** Characters of an answer. */
const longestAnswer = 1024;

interface Place {
  readonly address: string;
  readonly port: number;
}

/** Asks other instances of the service what they know of a check. */
export class PeerClient {
  /** Tells this instance from others that a name resolves to. */
  readonly id: string = globalThis.crypto.randomUUID();
  readonly #addresses: readonly string[];
  readonly #own = new Set<string>();

  constructor(addresses: readonly string[]) {
    this.#addresses = addresses;
  }

  /** The answers of up to three random peers, each asked once; none if this process is too busy to judge. Never rejects. */
  async ask(check: string, since: number): Promise<readonly PeerAnswer[]> {
    const hooks = host.getBuiltinModule?.('node:perf_hooks')?.performance;
    const before = hooks?.eventLoopUtilization?.();
    await pause(Math.max(shortestWatch, since + settleTime - performance.now()));
    const busy = before === undefined ? 0 : (hooks?.eventLoopUtilization(before).utilization ?? 0);
    if (busy > mostBusy) return [];
    const found = await Promise.all(this.#addresses.map((address) => placesOf(address)));
    const others = found.flat().filter((place) => !this.#own.has(textOf(place)));
    const chosen = shuffled(others).slice(0, mostAsked);
    const answers = await Promise.all(chosen.map((place) => this.#askOne(place, check)));
    return answers.filter((answer) => answer !== undefined);
  }

  async #askOne(place: Place, check: string): Promise<PeerAnswer | undefined> {
    const text = await within(get(place, `${peerPath}?check=${encodeURIComponent(check)}`), askTimeout, '');
    const answer = answerIn(text);
    if (answer?.id !== this.id) return answer;
    this.#own.add(textOf(place));
    return undefined;
  }
}

const textOf = ({ address, port }: Place) => `${address} ${port}`;
const states: ReadonlySet<unknown> = new Set<PeerState>(['pass', 'fail', 'out', 'unknown']);
const isState = (value: unknown): value is PeerState => states.has(value);

/** What a peer said; undefined for anything but an answer to the question. */
export function answerIn(text: string): (PeerAnswer & { readonly id: unknown }) | undefined {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said !== 'object' || said === null) return undefined;
    const state: unknown = Reflect.get(said, 'state');
    const age: unknown = Reflect.get(said, 'age');
    if (!isState(state) || typeof age !== 'number' || !(age >= 0)) return undefined;
    return { state, age, id: Reflect.get(said, 'id') };
  } catch {
    return undefined;
  }
}

/** All addresses of `name:port`. */
async function placesOf(address: string): Promise<readonly Place[]> {
  const colon = address.lastIndexOf(':');
  const name = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  const port = Number(address.slice(colon + 1));
  const dns = host.getBuiltinModule?.('node:dns');
  if (dns === undefined) return [];
  const lookup = new Promise<readonly Place[]>((resolve) => {
    dns.lookup(name, { all: true }, (error, found) => {
      resolve(error === null ? found.map((each) => ({ address: each.address, port })) : []);
    });
  });
  return within<readonly Place[]>(lookup, resolveTimeout, []);
}

/** The body of an answer; an empty text for whatever else happens. */
function get({ address, port }: Place, path: string): Promise<string> {
  return new Promise((resolve) => {
    const http = host.getBuiltinModule?.('node:http');
    if (http === undefined) return resolve('');
    const request = http.get({ host: address, port, path, agent: false, timeout: askTimeout }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        body += part;
        if (body.length > longestAnswer) request.destroy();
      });
      response.on('close', () => resolve(response.complete && response.statusCode === 200 ? body : ''));
      response.on('error', () => resolve(''));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(''));
    // Also an answer that never ends.
    const end = setTimeout(() => request.destroy(), askTimeout);
    end.unref?.();
    request.on('close', () => clearTimeout(end));
  });
}

function shuffled<T>(list: readonly T[]): T[] {
  const keyed = list.map((item) => ({ item, key: Math.random() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ item }) => item);
}

const pause = (ms: number) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (typeof timer === 'object') timer.unref();
  });
