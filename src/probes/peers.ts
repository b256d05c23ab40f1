import type { Opinion } from '../core/heartbeat/scope.js';

/** The state of a check that an instance reports to a peer: `out` if it has left rotation for it, `leaving` if it may be about to. */
export type PeerState = 'pass' | 'fail' | 'leaving' | 'out' | 'unknown';

/** The answer of a peer. */
export interface PeerAnswer {
  readonly state: PeerState;
  /** Age of the state, in milliseconds. */
  readonly age: number;
}

/** The state of this instance when peers have answered. */
interface Asker {
  /** Milliseconds for which the check is known to fail here without a break. */
  readonly failedFor: number;
  /** Whether this instance has left rotation for the check. */
  readonly isOut: boolean;
  /** Whether it stayed a moment ago because too many peers were out. */
  readonly wasKept: boolean;
}

/** An opinion, and whether this instance stays only because too many peers are out. */
interface Judged extends Opinion {
  readonly isKept?: boolean;
}

/**
 * The verdict of peers on an opinion. If the dependency cannot be reached from here, a peer that reaches it makes this a fault of
 * this instance. Whatever the fault is, an instance stays if at least half of the peers that answer are out for the same check, or leaving, and
 * one that has left comes back once all of them are out.
 */
export function judgeByPeers(opinion: Opinion, answers: readonly PeerAnswer[], asker: Asker): Judged {
  const known = answers.filter(({ state }) => state !== 'unknown');
  const all = known.length;
  if (all === 0) return opinion;
  const count = (wanted: PeerState) => known.filter(({ state }) => state === wanted).length;
  const gone = count('out');
  // Those that leave at the same time do not see each other come back.
  const out = gone + (asker.isOut ? 0 : count('leaving'));
  const { evidence } = opinion;
  const stay = {
    scope: 'shared',
    evidence: `${out} of ${all} peers are out for it; ${evidence}`,
    // One that is leaving may stay.
    isKept: gone > 0,
  } as const;
  if (opinion.scope === 'instance') return isLow(out, all, asker) ? stay : opinion;
  // A pass from before that says nothing: all may have lost it since.
  const reaching = known.filter(({ state, age }) => state === 'pass' && age <= asker.failedFor).length;
  if (reaching === 0) return { ...opinion, evidence: `no peer of ${all} is known to reach it; ${evidence}` };
  if (isLow(out, all, asker)) return stay;
  return {
    scope: 'instance',
    unreached: true,
    evidence: `${reaching} of ${all} peers reach it; ${evidence}`,
  };
}

/** Whether some of a sample are out, and others are not. */
export function isDivided(answers: readonly PeerAnswer[]): boolean {
  const out = answers.filter(({ state }) => state === 'out' || state === 'leaving').length;
  return out > 0 && out < answers.length;
}

/** Whether too many peers are out. The answers are a sample, which changes: a previous decision to stay holds until none is out. */
function isLow(out: number, all: number, { isOut, wasKept }: Asker): boolean {
  if (isOut) return out === all;
  return wasKept ? out > 0 : out * 2 >= all;
}
