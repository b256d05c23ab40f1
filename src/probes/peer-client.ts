import type { Clock } from '../core/clock.js';
import { maxPeersAsked, maxPeersIfDivided, peerLookupEvery, peerSettling, peerTimeout } from './limits.js';
import { peerPath } from './peer-path.js';
import type { PeerTransport, Place } from './peer-transport.js';
import { isDivided, type PeerAnswer, type PeerState } from './peers.js';
import { isObject } from '../core/objects.js';

/** Asks other instances of the service for the state of a check. */
export class PeerClient {
  /** Distinguishes this instance from others that a name resolves to. */
  readonly id: string = globalThis.crypto.randomUUID();
  readonly #addresses: readonly string[];
  readonly #clock: Clock;
  readonly #transport: PeerTransport;
  readonly #own = new Set<string>();
  /** The last result of looking up each address. */
  readonly #found = new Map<string, readonly Place[]>();
  #lookedUp = -Infinity;

  constructor(addresses: readonly string[], clock: Clock, transport: PeerTransport) {
    this.#addresses = addresses;
    this.#clock = clock;
    this.#transport = transport;
  }

  /** Looks the addresses up, if that was long ago. */
  refresh(): void {
    if (this.#clock.now() - this.#lookedUp >= peerLookupEvery) void this.#places();
  }

  /** The answers of a few random peers, each asked once; `isThorough`: of more if those are divided. Never rejects. */
  async query(check: string, since: number, isThorough: boolean): Promise<readonly PeerAnswer[]> {
    const wait = Math.max(0, since + peerSettling - this.#clock.now());
    await new Promise<void>((resolve) => void this.#clock.after(wait, resolve));
    const found = await this.#places();
    const isOther = (place: Place) => !this.#own.has(textOf(place));
    const unasked = this.#shuffled(found.filter(isOther));
    const ask = async (count: number): Promise<readonly PeerAnswer[]> => {
      const places = unasked.splice(0, count);
      const answers = await Promise.all(places.map((place) => this.#askOne(place, check)));
      const others = answers.filter((answer) => answer !== undefined);
      // This instance itself was among them: a smaller sample could make one peer that is out look like half of them.
      const missing = places.length - places.filter(isOther).length;
      return missing === 0 ? others : [...others, ...(await ask(missing))];
    };
    const answers = await ask(maxPeersAsked);
    return isThorough && isDivided(answers) ? [...answers, ...(await ask(maxPeersIfDivided))] : answers;
  }

  /** All peers; those that a name had before, if it cannot be looked up now. */
  async #places(): Promise<readonly Place[]> {
    this.#lookedUp = this.#clock.now();
    const found = await Promise.all(
      this.#addresses.map(async (address) => {
        const places = await this.#transport.placesOf(address);
        if (places.length > 0) this.#found.set(address, places);
        return this.#found.get(address) ?? [];
      }),
    );
    return found.flat();
  }

  async #askOne(place: Place, check: string): Promise<PeerAnswer | undefined> {
    const got = this.#transport.get(place, `${peerPath}?check=${encodeURIComponent(check)}`);
    const answer = answerIn(await this.#clock.within(got, peerTimeout, ''));
    if (answer?.id !== this.id) return answer;
    this.#own.add(textOf(place));
    return undefined;
  }

  #shuffled<T>(list: readonly T[]): T[] {
    const keyed = list.map((item) => ({ item, key: this.#clock.random() }));
    return keyed.toSorted((one, other) => one.key - other.key).map(({ item }) => item);
  }
}

const textOf = ({ address, port }: Place) => `${address} ${port}`;
const states: ReadonlySet<unknown> = new Set<PeerState>(['pass', 'fail', 'leaving', 'out', 'unknown']);
const isState = (value: unknown): value is PeerState => states.has(value);

/** The answer of a peer; undefined if it is not an answer to the question. */
export function answerIn(text: string): (PeerAnswer & { readonly id: unknown }) | undefined {
  try {
    const said: unknown = JSON.parse(text);
    if (!isObject(said)) return undefined;
    const state: unknown = Reflect.get(said, 'state');
    const age: unknown = Reflect.get(said, 'age');
    if (!isState(state) || typeof age !== 'number' || !(age >= 0)) return undefined;
    return { state, age, id: Reflect.get(said, 'id') };
  } catch {
    return undefined;
  }
}
