import type { FeatureHost } from '../core/feature.js';
import type { Opinion } from '../core/heartbeat/check.js';
import type { RegisteredCheck } from '../core/heartbeat/run.js';
import { isObject } from '../core/objects.js';
import { peerPath } from '../core/options/features.js';
import { attempt } from '../core/runtime.js';
import type { Clock } from '../core/time.js';
import {
  maxPeersAsked,
  maxPeersIfDivided,
  peerLookupEvery,
  peerSettling,
  peersForgottenAfter,
  peerTimeout,
  recheckTimeout,
} from './limits.js';
import type { PeerTransport, Place } from './peer-transport.js';
import type { Track } from './track.js';

const states = ['pass', 'fail', 'out', 'unknown'] as const;

/** The state of a check in a peer: `out` if it has left rotation for it, or may be about to. */
export interface PeerAnswer {
  readonly state: (typeof states)[number];
  /** Age of the state, in milliseconds. */
  readonly age: number;
}

/** Makes the key that proves that its sender belongs to this service and has the same dependency. */
type MakeKey = (id: unknown) => string;

/** Queries other instances of this service about whether they reach a dependency that this one does not, and answers them. */
export class Peers {
  /** Distinguishes this instance from others that a name resolves to. */
  readonly #id: string = globalThis.crypto.randomUUID();
  readonly #addresses: readonly string[];
  readonly #clock: Clock;
  readonly #transport: PeerTransport;
  readonly #version: FeatureHost<never>['version'];
  /** The places that are this instance. */
  readonly #own = new Set<string>();
  /** The places of each address, and when they were looked up. */
  readonly #places = new Map<string, { readonly places: readonly Place[]; readonly at: number }>();
  /** Checks about which peers are being queried. */
  readonly #asking = new Set<RegisteredCheck>();
  #lookedUp = -Infinity;

  constructor(
    addresses: readonly string[],
    clock: Clock,
    transport: PeerTransport,
    version: FeatureHost<never>['version'],
  ) {
    this.#addresses = addresses;
    this.#clock = clock;
    this.#transport = transport;
    this.#version = version;
  }

  /** Looks the addresses up, if that was long ago. */
  refresh(): void {
    if (this.#clock.now() - this.#lookedUp >= peerLookupEvery) void this.#lookUp();
  }

  /** Whether this instance has left rotation for a check, or may leave after a pending opinion: so instances that query each other at the same time do not all leave. */
  isOut(check: RegisteredCheck, track: Track): boolean {
    return track.isOut || track.isUnconfirmed || this.#asking.has(check);
  }

  /**
   * The verdict of peers on an opinion: if a peer reaches a dependency that cannot be reached from here, that is a fault of this instance. It still
   * stays in rotation if at least half of the peers that answer are out for the same dependency. Peers do not decide on a fault that is proven
   * to be this instance's own.
   */
  async judge(pending: Promise<Opinion>, check: RegisteredCheck, track: Track): Promise<Opinion> {
    const wasBusy = this.#transport.watchDelay();
    const opinion = await pending;
    const isUnclear = wasBusy();
    const since = track.failsFrom;
    if (opinion.unreached !== true) return opinion;
    if (isUnclear) return withoutReach(opinion);
    if (since === undefined) return opinion;
    this.#asking.add(check);
    const answers = await this.#answers(check, since, !track.isOut);
    const judged = judgeByPeers(opinion, answers, this.#clock.now() - since, track.isOut);
    const decided = judged.scope === 'instance' ? await this.#confirm(judged, opinion, check) : judged;
    this.#asking.delete(check);
    return decided;
  }

  /** The answer to a question about a check: unknown for a client that may not see details and has no key of a peer. */
  async answer(
    question: URLSearchParams,
    check: RegisteredCheck | undefined,
    { state, age }: PeerAnswer,
    details: boolean,
  ): Promise<object> {
    const makeKey = await this.#keys(check);
    const isPeer = makeKey !== undefined && question.get('key') === makeKey(question.get('id'));
    if (!details && !isPeer) return { state: 'unknown' };
    return { id: this.#id, state, age: Math.round(age), key: makeKey?.(this.#id) };
  }

  /** Undefined if the client does not show which dependency it has. */
  async #keys(check: RegisteredCheck | undefined): Promise<MakeKey | undefined> {
    const identity = check?.secondOpinion?.identity?.();
    if (identity === undefined) return undefined;
    const crypto = process.getBuiltinModule('node:crypto');
    const repository = await readRepository(this.#version);
    const key = (id: unknown) => JSON.stringify([repository, check?.name, identity, id]);
    return (id) => crypto.createHash('sha256').update(key(id)).digest('base64url');
  }

  /** The answers of a few random peers, each queried once; `isThorough`: more are queried if some of those are out and others are not. Never rejects. */
  async #answers(check: RegisteredCheck, since: number, isThorough: boolean): Promise<readonly PeerAnswer[]> {
    const wait = Math.max(0, since + peerSettling - this.#clock.now());
    await new Promise<void>((resolve) => void this.#clock.after(wait, resolve));
    const makeKey = await this.#keys(check);
    if (makeKey === undefined) return [];
    const isOther = (place: Place) => !this.#own.has(placeKey(place));
    const places = (await this.#lookUp()).map((place) => ({ place, order: this.#clock.random() }));
    const shuffled = places.toSorted((one, other) => one.order - other.order).map(({ place }) => place);
    const unasked = shuffled.filter(isOther);
    const ask = async (count: number): Promise<readonly PeerAnswer[]> => {
      const chosen = unasked.splice(0, count);
      const answers = await Promise.all(chosen.map((place) => this.#askOne(place, check.name, makeKey)));
      const others = answers.filter((answer) => answer !== undefined);
      // This instance was among them. In a smaller sample, one peer that is out could count as half of them.
      const missing = chosen.length - chosen.filter(isOther).length;
      return missing === 0 ? others : [...others, ...(await ask(missing))];
    };
    const answers = await ask(maxPeersAsked);
    const out = answers.filter(({ state }) => state === 'out').length;
    if (!isThorough || out === 0 || out === answers.length) return answers;
    return [...answers, ...(await ask(maxPeersIfDivided))];
  }

  /** All peers; if a name cannot be resolved now, the addresses that it had a short time ago. */
  async #lookUp(): Promise<readonly Place[]> {
    this.#lookedUp = this.#clock.now();
    const all = await Promise.all(
      this.#addresses.map(async (address) => {
        const places = await this.#transport.resolve(address);
        const at = this.#clock.now();
        if (places.length > 0) this.#places.set(address, { places, at });
        const last = this.#places.get(address);
        return last !== undefined && at - last.at < peersForgottenAfter ? last.places : [];
      }),
    );
    return all.flat();
  }

  /** The answer of a peer; undefined if it is not one, or does not prove that it comes from one. */
  async #askOne(place: Place, check: string, makeKey: MakeKey): Promise<PeerAnswer | undefined> {
    const question = new URLSearchParams({ check, id: this.#id, key: makeKey(this.#id) });
    const response = this.#transport.get(place, `${peerPath}?${question}`);
    const text = await this.#clock.within(response, peerTimeout, '');
    const answer: unknown = attempt(() => JSON.parse(text));
    if (!isObject(answer)) return undefined;
    const { id, age, key, ...rest }: Partial<Record<string, unknown>> = { ...answer };
    const state = states.find((known) => known === rest['state']);
    if (id === this.#id) this.#own.add(placeKey(place));
    else if (key === makeKey(id) && state !== undefined && typeof age === 'number' && age >= 0)
      return { state, age };
    return undefined;
  }

  /** The opinion of peers, if the dependency still cannot be reached: it may have come back for all meanwhile. */
  async #confirm(judged: Opinion, opinion: Opinion, check: RegisteredCheck): Promise<Opinion> {
    const wasBusy = this.#transport.watchDelay();
    const isBack = await Promise.resolve(recheckTimeout)
      .then(check.secondOpinion?.reaches)
      .catch(() => false);
    const isUnclear = wasBusy();
    if (isBack === true)
      return { scope: 'shared', evidence: `a fresh connection works again; ${opinion.evidence}` };
    return isUnclear ? withoutReach(opinion) : judged;
  }
}

/** The address of the repository: the same in all instances of this service, and in no other service. */
async function readRepository(readVersion: FeatureHost<never>['version']): Promise<string> {
  const version = await readVersion();
  const { source = '' }: { source?: unknown } = version.kind === 'found' ? JSON.parse(version.json) : {};
  return String(source);
}

/** The opinion of a process that was too busy to know whether it reaches the dependency: peers are not queried about it. */
const withoutReach = ({ evidence }: Opinion): Opinion => ({
  scope: 'shared',
  evidence: `${evidence}; this process was too busy to know why`,
});

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
  // A pass from before the failure proves nothing: all may have lost the dependency since.
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

const placeKey = ({ address, port }: Place) => `${address} ${port}`;
