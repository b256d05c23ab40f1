import { type Clock, realClock } from '../../core/clock.js';
import type { Opinion, OpinionContext } from '../../core/heartbeat/scope.js';
import { deadlineOf } from '../../core/heartbeat/abort.js';
import { freshTimeout, leakedAfter } from './limits.js';
import { isFull, type PoolUsage, usageText } from '../pools/pool.js';
import { Unserved } from '../pools/unserved.js';
import { reasonOf } from '../reasons.js';
import { queryAfresh, type OpinionState, type Connect, type Outcome } from './fresh.js';
import { LastLent, type OnLend } from './last-lent.js';
import type { OpinionSource } from './offer.js';
import {
  askServer,
  type Held,
  type Inquiry,
  closeDead,
  opinionOn,
  type SessionState,
} from './server-word.js';

/** The part of a check that a second opinion needs. */
export interface Dependency {
  readonly connect: Connect;
  /** The counts of the pool, if it shows them. */
  readonly usage?: () => PoolUsage | undefined;
  readonly onLend?: OnLend;
  /** The connections in use, if the client shows them. */
  readonly held?: () => Held | undefined;
  /** Whether a check without an answer may have waited for a connection that is in use. */
  readonly queues?: boolean;
}

/** The share of its time that the fresh connection gets if that is shorter. */
const partOfDeadline = 0.75;

/** Finds the scope of a failure. Callers during an opinion wait for that one. */
export function opinionBy(given: Dependency, clock: Clock = realClock): OpinionSource {
  let current: Promise<Opinion> | undefined;
  let identity: string | undefined;
  const connect: Connect = (time) => {
    const connection = given.connect(time);
    identity = connection?.identity;
    return connection;
  };
  const dependency = { ...given, connect };
  const lent = new LastLent(clock, dependency.onLend);
  const all = { clock, unserved: new Unserved(clock), lent };
  const getOpinion = (context: OpinionContext) => {
    current ??= opinionOf(dependency, context, all).finally(() => {
      current = undefined;
    });
    return current;
  };
  const reaches = async (within: number) => {
    const outcome = await queryAfresh(dependency.connect, within, all);
    if (outcome === 'impossible') return undefined;
    return outcome === 'answered' || sharedBy(outcome).unreached !== true;
  };
  const own = { watch: () => lent.watch(), release: () => lent.release(), identity: () => identity, reaches };
  return Object.assign(getOpinion, own);
}

async function opinionOf(
  dependency: Dependency,
  context: OpinionContext,
  all: OpinionState & { readonly lent: LastLent },
): Promise<Opinion> {
  const { signal, result } = context;
  // One more connection would only take another's place.
  if (result.fault === 'full') return { scope: 'shared', evidence: 'the server accepts no more connections' };
  const time = Math.max(1, Math.min(freshTimeout, (deadlineOf(signal) - all.clock.now()) * partOfDeadline));
  const usage = usageOf(dependency);
  if (!mayBeBusy(dependency, usage, result.fault)) {
    const outcome = await queryAfresh(dependency.connect, time, all);
    if (outcome !== 'answered') return sharedBy(outcome);
    const now = usageOf(dependency);
    // It was not a moment ago: connections come and go.
    if (now !== undefined && isFull(now)) return busy(usageText(now));
    return { scope: 'instance', evidence: 'a fresh connection works' };
  }
  const { clock, lent } = all;
  lent.watch();
  const held = dependency.held?.();
  lent.look(held?.next);
  const lentBefore = lent.at;
  let said: Opinion | undefined;
  const outcome = await queryAfresh(dependency.connect, time, all, async (inquiry) => {
    said = await serverOpinion(held, usage, inquiry, (idleFor) => {
      const now = clock.now();
      const lentAt = Math.max(now - idleFor, lent.at ?? context.since ?? now);
      return now - lentAt < leakedAfter || (context.mayRun?.(lentAt) ?? true);
    });
  });
  const after = usageOf(dependency);
  const isReleased = lent.at !== lentBefore || (after !== undefined && !isFull(after));
  if (outcome !== 'answered') {
    const opinion = sharedBy(outcome);
    // On a slow path, connections of the pool come back too.
    if (outcome === 'late') return opinion;
    // Connections that come and go reach the server: the pool is busy, and peers have no say in that.
    const lentFor = clock.now() - (lent.at ?? -Infinity);
    const isBusy = lentFor < leakedAfter && (lent.at ?? 0) > (context.since ?? Infinity);
    return isBusy ? { scope: opinion.scope, evidence: opinion.evidence } : opinion;
  }
  const text = usage === undefined ? 'no answer' : usageText(usage);
  if (isReleased) return busy(text);
  if (said === undefined) {
    return { scope: 'shared', evidence: `${text}; the server cannot be asked what the connections do` };
  }
  return { scope: said.scope, evidence: `${text}; ${said.evidence}` };
}

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

/** The counts of the pool; a client that is not ready throws. */
function usageOf({ usage }: Dependency): PoolUsage | undefined {
  try {
    return usage?.();
  } catch {
    return undefined;
  }
}

/** Whether the check may have failed because all connections are in use: busy is not broken. */
function mayBeBusy({ queues }: Dependency, usage: PoolUsage | undefined, fault: string | undefined): boolean {
  if (fault === 'exhausted') return true;
  return usage === undefined ? queues === true && fault === undefined : isFull(usage);
}

/** The server's report about the connections in use; undefined if it does not cover each of them. */
async function serverOpinion(
  held: Held | undefined,
  usage: PoolUsage | undefined,
  inquiry: Inquiry | undefined,
  mayBeHeld: (idleFor: number) => boolean,
): Promise<Opinion | undefined> {
  if (held === undefined || inquiry === undefined || held.ids.length < (usage?.used ?? 1)) return undefined;
  let states: readonly SessionState[] | undefined;
  try {
    states = await askServer(inquiry, held);
  } catch {
    // It refuses, or it is another kind of server.
  }
  if (states === undefined) return undefined;
  const closed = closeDead(held, states);
  const { scope, evidence } = opinionOn(held, states, mayBeHeld);
  if (closed === 0) return { scope, evidence };
  return { scope, evidence: `${evidence}; ${closed} without an answer were closed` };
}

const busy = (text: string): Opinion => ({
  scope: 'shared',
  evidence: `the pool is busy: ${text}, and they are being released`,
});
