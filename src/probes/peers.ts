import type { Opinion } from '../core/heartbeat/scope.js';

/** What an instance says of a check to another: `out` if it has left rotation for it, or is about to. */
export type PeerState = 'pass' | 'fail' | 'out' | 'unknown';

/** The answer of a peer. */
export interface PeerAnswer {
  readonly state: PeerState;
  /** Milliseconds since the run that it speaks of was over. */
  readonly age: number;
}

/** What is known here when peers have answered. */
interface Asker {
  /** Milliseconds for which the check is known to fail here without a break. */
  readonly failedFor: number;
  /** Whether this instance has left rotation for the check. */
  readonly isOut: boolean;
}

/**
 * What an opinion comes to by the word of peers. If the dependency cannot be reached from here, a peer that reaches it makes this the trouble of
 * this instance. Whatever the trouble is, an instance stays if at least half of the peers that answer are out for the same check, and one that
 * has left comes back once all of them are.
 */
export function judgeByPeers(opinion: Opinion, answers: readonly PeerAnswer[], asker: Asker): Opinion {
  const known = answers.filter(({ state }) => state !== 'unknown');
  const all = known.length;
  if (all === 0) return opinion;
  const out = known.filter(({ state }) => state === 'out').length;
  const { evidence } = opinion;
  const isLow = asker.isOut ? out === all : out * 2 >= all;
  const stay: Opinion = { scope: 'shared', evidence: `${out} of ${all} peers are out for it; ${evidence}` };
  if (opinion.scope === 'instance') return isLow ? stay : opinion;
  // A pass from before that says nothing: all may have lost it since.
  const reaching = known.filter(({ state, age }) => state === 'pass' && age <= asker.failedFor).length;
  if (reaching === 0) return { ...opinion, evidence: `no peer of ${all} is known to reach it; ${evidence}` };
  if (isLow) return stay;
  return {
    scope: 'instance',
    unreached: true,
    evidence: `${reaching} of ${all} peers reach it; ${evidence}`,
  };
}
