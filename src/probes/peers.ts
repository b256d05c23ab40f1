import type { Clock } from '../core/time.js';
import type { RegisteredCheck } from '../core/heartbeat/run.js';
import type { Opinion } from '../core/heartbeat/check.js';
import { isObject } from '../core/objects.js';
import { peerPath } from '../core/options/features.js';
import { attempt, host } from '../core/runtime.js';
import {
  maxPeersAsked,
  maxPeersIfDivided,
  peerLookupEvery,
  peerSettling,
  peersForgottenAfter,
  peerTimeout,
  recheckTimeout,
} from './limits.js';
import { withoutReach } from './opinions.js';
import type { PeerTransport, Place } from './peer-transport.js';
import type { Track } from './track.js';

/** The state of a check that an instance reports to a peer: `out` if it has left rotation for it, or may be about to. */
type PeerState = 'pass' | 'fail' | 'out' | 'unknown';

/** The state of a check in a peer. */
export interface PeerAnswer {
  readonly state: PeerState;
  /** Age of the state, in milliseconds. */
  readonly age: number;
}

/** Asks other instances of this service whether they reach a dependency that this one does not, and answers them. */
export class Peers {
  /** Distinguishes this instance from others that a name resolves to. */
  readonly #id: string = globalThis.crypto.randomUUID();
  readonly #addresses: readonly string[];
  readonly #clock: Clock;
  readonly #transport: PeerTransport;
  /** The same in all instances of this service, and in no other service. */
  readonly #service: () => Promise<string>;
  readonly #own = new Set<string>();
  /** The places found for each address, and when. */
  readonly #found = new Map<string, { readonly places: readonly Place[]; readonly at: number }>();
  /** Checks of which peers are being asked. */
  readonly #asking = new Set<RegisteredCheck>();
  #lookedUp = -Infinity;

  constructor(
    addresses: readonly string[],
    clock: Clock,
    transport: PeerTransport,
    service: () => Promise<string>,
  ) {
    this.#addresses = addresses;
    this.#clock = clock;
    this.#transport = transport;
    this.#service = service;
  }

  /** Looks the addresses up, if that was long ago. */
  refresh(): void {
    if (this.#clock.now() - this.#lookedUp >= peerLookupEvery) void this.#places();
  }

  /** Whether this instance has left rotation for a check, or may leave after a pending opinion: those that ask at the same time do not all leave. */
  isOut(check: RegisteredCheck, track: Track): boolean {
    return track.isOut || track.isUnconfirmed || this.#asking.has(check);
  }

  /**
   * The verdict of peers on an opinion: a dependency that cannot be reached from here, and that a peer reaches, is a fault of this instance. It stays
   * if at least half of the peers that answer are out for the same. Of a fault that is known to be its own they have no say: to stay with it
   * would only make it last.
   */
  async judge(opinion: Opinion, check: RegisteredCheck, track: Track): Promise<Opinion> {
    const since = track.failsFrom;
    if (since === undefined || opinion.unreached !== true) return opinion;
    this.#asking.add(check);
    const answers = await this.#answers(check, since, !track.isOut);
    const judged = judgeByPeers(opinion, answers, this.#clock.now() - since, track.isOut);
    const decided = judged.scope === 'instance' ? await this.#confirmed(judged, opinion, check) : judged;
    this.#asking.delete(check);
    return decided;
  }

  /** The answer to a question about a check; who may not see the details learns nothing without the key of a peer. */
  async answer(
    asked: URLSearchParams,
    check: RegisteredCheck | undefined,
    known: PeerAnswer,
    details: boolean,
  ): Promise<object> {
    const keyOf = await this.#keys(check);
    const isPeer = keyOf !== undefined && asked.get('key') === keyOf(asked.get('id'));
    if (!details && !isPeer) return { state: 'unknown' };
    return { id: this.#id, state: known.state, age: Math.round(known.age), key: keyOf?.(this.#id) };
  }

  /** Makes what proves that its sender is of this service and has the same dependency; undefined if the client does not show which it has. */
  async #keys(check: RegisteredCheck | undefined): Promise<((id: unknown) => string) | undefined> {
    const identity = check?.secondOpinion?.identity?.();
    const crypto = host.getBuiltinModule?.('node:crypto');
    if (identity === undefined || crypto === undefined) return undefined;
    const service = await this.#service();
    return (id) =>
      crypto
        .createHash('sha256')
        .update(JSON.stringify([service, check?.name, identity, id]))
        .digest('base64url');
  }

  /** The answers of a few random peers, each asked once; `isThorough`: of more if some of those are out and others are not. Never rejects. */
  async #answers(check: RegisteredCheck, since: number, isThorough: boolean): Promise<readonly PeerAnswer[]> {
    const wait = Math.max(0, since + peerSettling - this.#clock.now());
    await new Promise<void>((resolve) => void this.#clock.after(wait, resolve));
    const keyOf = await this.#keys(check);
    if (keyOf === undefined) return [];
    const isOther = (place: Place) => !this.#own.has(textOf(place));
    const found = (await this.#places()).map((place) => ({ place, at: this.#clock.random() }));
    const shuffled = found.toSorted((one, other) => one.at - other.at).map(({ place }) => place);
    const unasked = shuffled.filter(isOther);
    const ask = async (count: number): Promise<readonly PeerAnswer[]> => {
      const places = unasked.splice(0, count);
      const answers = await Promise.all(places.map((place) => this.#askOne(place, check.name, keyOf)));
      const others = answers.filter((answer) => answer !== undefined);
      // This instance itself was among them: a smaller sample could make one peer that is out look like half of them.
      const missing = places.length - places.filter(isOther).length;
      return missing === 0 ? others : [...others, ...(await ask(missing))];
    };
    const answers = await ask(maxPeersAsked);
    const out = answers.filter(({ state }) => state === 'out').length;
    if (!isThorough || out === 0 || out === answers.length) return answers;
    return [...answers, ...(await ask(maxPeersIfDivided))];
  }

  /** All peers; those that a name had a short time ago, if it cannot be looked up now. */
  async #places(): Promise<readonly Place[]> {
    this.#lookedUp = this.#clock.now();
    const found = await Promise.all(
      this.#addresses.map(async (address) => {
        const places = await this.#transport.placesOf(address);
        const at = this.#clock.now();
        if (places.length > 0) this.#found.set(address, { places, at });
        const last = this.#found.get(address);
        return last !== undefined && at - last.at < peersForgottenAfter ? last.places : [];
      }),
    );
    return found.flat();
  }

  /** The answer of a peer; undefined if it is not one, or does not prove that it comes from one. */
  async #askOne(
    place: Place,
    check: string,
    keyOf: (id: unknown) => string,
  ): Promise<PeerAnswer | undefined> {
    const question = new URLSearchParams({ check, id: this.#id, key: keyOf(this.#id) });
    const got = this.#transport.get(place, `${peerPath}?${question}`);
    const text = await this.#clock.within(got, peerTimeout, '');
    const said: unknown = attempt(() => JSON.parse(text));
    if (!isObject(said)) return undefined;
    const { id, state, age, key }: Partial<Record<string, unknown>> = { ...said };
    if (id === this.#id) this.#own.add(textOf(place));
    else if (key === keyOf(id) && isState(state) && typeof age === 'number' && age >= 0)
      return { state, age };
    return undefined;
  }

  /** The opinion of peers, if the dependency still cannot be reached: it may have come back for all meanwhile. */
  async #confirmed(judged: Opinion, opinion: Opinion, check: RegisteredCheck): Promise<Opinion> {
    const wasBusy = this.#transport.watchDelay();
    const tried = Promise.resolve(recheckTimeout).then(check.secondOpinion?.reaches);
    const isBack = await tried.catch(() => false);
    const isUnclear = wasBusy();
    if (isBack === true)
      return { scope: 'shared', evidence: `a fresh connection works again; ${opinion.evidence}` };
    return isUnclear ? withoutReach(opinion) : judged;
  }
}

/** The verdict of peers about a dependency that cannot be reached from here; `failedFor`: milliseconds without a break. */
function judgeByPeers(
  opinion: Opinion,
  answers: readonly PeerAnswer[],
  failedFor: number,
  isOut: boolean,
): Opinion {
  const known = answers.filter(({ state }) => state !== 'unknown');
  const all = known.length;
  const out = known.filter(({ state }) => state === 'out').length;
  // A pass from before that says nothing: all may have lost it since.
  const reaching = known.filter(({ state, age }) => state === 'pass' && age <= failedFor).length;
  const { evidence } = opinion;
  if (all === 0) return opinion;
  if (reaching === 0) return { ...opinion, evidence: `no peer of ${all} is known to reach it; ${evidence}` };
  if (!isOut && out * 2 >= all)
    return { scope: 'shared', evidence: `${out} of ${all} peers are out for it; ${evidence}` };
  return {
    scope: 'instance',
    unreached: true,
    evidence: `${reaching} of ${all} peers reach it; ${evidence}`,
  };
}

const textOf = ({ address, port }: Place) => `${address} ${port}`;
const isState = (value: unknown): value is PeerState =>
  value === 'pass' || value === 'fail' || value === 'out' || value === 'unknown';
