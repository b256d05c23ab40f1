import { type Clock, realClock } from '../../core/time.js';
import { deadlineOf } from '../../core/heartbeat/run.js';
import type { Opinion, OpinionContext, SecondOpinion } from '../../core/heartbeat/check.js';
import { attempt } from '../../core/runtime.js';
import { isObject } from '../client.js';
import { Abandoned } from '../pools/abandoned.js';
import { isFull, leakedAfter, type PoolUsage, usageText } from '../pools/pool.js';
import { reasonOf } from '../reasons.js';
import { type Connect, type OpinionState, type Outcome, queryAfresh } from './fresh.js';
import { askServer, closeDead, type Held, type Inquiry, opinionOn } from './server-word.js';

/** The part of a check that a second opinion needs. */
export interface Dependency {
  /** Left out of clients that cannot make a fresh connection. */
  readonly connect?: Connect;
  readonly usage?: () => PoolUsage | undefined;
  /** Calls a function whenever a connection of the pool is checked out; returns a function that stops this, or undefined for a pool that does not report it. */
  readonly onCheckout?: (listener: () => void) => (() => void) | undefined;
  readonly held?: () => Held | undefined;
  /** Whether a check without an answer may have waited for a connection that is in use. */
  readonly queues?: boolean;
}

/** Milliseconds for the fresh connection, so that the rest of the time of an opinion is left for the server's evidence: docs/probes.md promises it. */
const freshTimeout = 1500;
/** The share of its time that the fresh connection gets if that is shorter. */
const partOfDeadline = 0.75;

/** The second opinion on a client. Callers during an opinion wait for that one. */
export function opinionBy(
  dependency: unknown,
  source: Dependency,
  clock: Clock = realClock,
): SecondOpinion | undefined {
  if (!isObject(dependency)) return undefined;
  let current: Promise<Opinion> | undefined;
  let identity: string | undefined;
  const connect: Connect = (time) => {
    const connection = source.connect?.(time);
    identity = connection?.identity;
    return connection;
  };
  const state = {
    clock,
    abandoned: new Abandoned(clock),
    lastCheckout: new LastCheckout(clock, source.onCheckout),
  };
  return {
    dependency,
    proves: true,
    prepare: () => attempt(() => state.lastCheckout.watch()),
    release: () => state.lastCheckout.release(),
    identity: () => identity,
    async reaches(within) {
      const outcome = await queryAfresh(connect, within, state);
      if (outcome === 'impossible') return undefined;
      return outcome === 'answered' || sharedBy(outcome).unreached !== true;
    },
    async ask(context) {
      current ??= opinionOf({ ...source, connect }, context, state).finally(() => {
        current = undefined;
      });
      return current;
    },
  };
}

async function opinionOf(
  dependency: Dependency & { readonly connect: Connect },
  { signal, result, since, mayRun }: OpinionContext,
  state: OpinionState & { readonly lastCheckout: LastCheckout },
): Promise<Opinion> {
  const { clock, lastCheckout } = state;
  const { fault } = result;
  // One more connection would only replace another.
  if (fault === 'full') return { scope: 'shared', evidence: 'the server accepts no more connections' };
  const time = Math.max(1, Math.min(freshTimeout, (deadlineOf(signal) - clock.now()) * partOfDeadline));
  // A client that is not ready throws.
  const usageNow = () => attempt(() => dependency.usage?.());
  const usage = usageNow();
  // The check may have failed because all connections are in use: busy is not broken.
  const isFullPool = usage === undefined ? dependency.queues === true && fault === undefined : isFull(usage);
  if (fault !== 'exhausted' && !isFullPool) {
    const outcome = await queryAfresh(dependency.connect, time, state);
    if (outcome !== 'answered') return sharedBy(outcome);
    const now = usageNow();
    // It was not full a moment ago: connections come and go.
    if (now !== undefined && isFull(now)) return busy(usageText(now));
    return { scope: 'instance', evidence: 'a fresh connection works' };
  }
  lastCheckout.watch();
  const held = dependency.held?.();
  lastCheckout.noteQueue(held?.next);
  const before = lastCheckout.at;
  let said: Opinion | undefined;
  const outcome = await queryAfresh(dependency.connect, time, state, async (inquiry) => {
    said = await serverOpinion(held, usage, inquiry, (idleFor) => {
      const now = clock.now();
      const usedAt = Math.max(now - idleFor, lastCheckout.at ?? since ?? now);
      return now - usedAt < leakedAfter || (mayRun?.(usedAt) ?? true);
    });
  });
  if (outcome !== 'answered') {
    const opinion = sharedBy(outcome);
    // On a slow network, connections of the pool are released too, so this proves nothing.
    if (outcome === 'late') return opinion;
    // Connections that come and go reach the server: the pool is busy, and peers are not queried about that.
    const { at = -Infinity } = lastCheckout;
    const isBusy = clock.now() - at < leakedAfter && at > (since ?? Infinity);
    return isBusy ? { scope: opinion.scope, evidence: opinion.evidence } : opinion;
  }
  const text = usage === undefined ? 'no answer' : usageText(usage);
  const after = usageNow();
  if (lastCheckout.at !== before || (after !== undefined && !isFull(after))) return busy(text);
  if (said === undefined) {
    return { scope: 'shared', evidence: `${text}; the server cannot be asked what the connections do` };
  }
  return { scope: said.scope, evidence: `${text}; ${said.evidence}` };
}

const busy = (text: string): Opinion => ({
  scope: 'shared',
  evidence: `the pool is busy: ${text}, and they are being released`,
});

function sharedBy(outcome: Exclude<Outcome, 'answered'>): Opinion {
  if (outcome === 'impossible') {
    return { scope: 'shared', evidence: 'this client cannot open a fresh connection' };
  }
  if (outcome === 'late') {
    return { scope: 'shared', evidence: 'a fresh connection gets no answer either', unreached: true };
  }
  const reason = reasonOf(outcome.thrown);
  const evidence = `a fresh connection fails too: ${reason.text}`;
  // A server that refuses was reached. A connection that breaks before it answers may be cut on the way.
  const isUnreached = reason.fault === 'unreachable' || reason.fault === 'broken';
  return { scope: 'shared', evidence, ...(isUnreached && { unreached: true }) };
}

/** The server's report about the connections in use; undefined if it does not cover each of them. */
async function serverOpinion(
  held: Held | undefined,
  usage: PoolUsage | undefined,
  inquiry: Inquiry | undefined,
  mayBeHeld: (idleFor: number) => boolean,
): Promise<Opinion | undefined> {
  if (held === undefined || inquiry === undefined || held.ids.length < (usage?.used ?? 1)) return undefined;
  // It may refuse, or be another kind of server.
  const states = await askServer(inquiry, held).catch(() => undefined);
  if (states === undefined) return undefined;
  const closed = closeDead(held, states);
  const { scope, evidence } = opinionOn(held, states, mayBeHeld);
  return {
    scope,
    evidence: closed === 0 ? evidence : `${evidence}; ${closed} without an answer were closed`,
  };
}

/** When a connection of a pool was last checked out: a request that came later cannot hold one of those that are in use. */
class LastCheckout {
  readonly #clock: Clock;
  readonly #onCheckout: Dependency['onCheckout'];
  #stop: (() => void) | undefined;
  #at = 0;
  #next: unknown;

  constructor(clock: Clock, onCheckout: Dependency['onCheckout']) {
    this.#clock = clock;
    this.#onCheckout = onCheckout;
  }

  /** Listens to the pool, unless it does already. Some libraries make their pool when they connect. */
  watch(): void {
    if (this.#stop !== undefined) return;
    this.#note();
    this.#stop = this.#onCheckout?.(() => this.#note());
  }

  release(): void {
    this.#stop?.();
    this.#stop = undefined;
  }

  /** mysql2 does not report a checkout by a waiting request: the first request in its queue has changed then. */
  noteQueue(next: unknown): void {
    if (this.#next !== undefined && next !== this.#next) this.#note();
    this.#next = next;
  }

  /** Undefined for a pool that does not report it. */
  get at(): number | undefined {
    return this.#stop === undefined ? undefined : this.#at;
  }

  #note(): void {
    this.#at = this.#clock.now();
  }
}
