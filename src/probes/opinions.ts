import type { Opinion, SecondOpinion } from '../core/heartbeat/check.js';
import type { CheckResult } from '../core/heartbeat/result.js';
import { abortController } from '../core/heartbeat/run.js';
import { outsideRequest } from '../core/request/request.js';
import { shared } from '../core/runtime.js';
import { clean } from '../core/scrub/scrub.js';
import type { Clock } from '../core/time.js';
import { opinionTimeout, reachEvery, reachTimeout } from './limits.js';

/** Characters of the evidence of an opinion. */
const maxEvidenceLength = 200;

/** An opinion, and when it was requested. */
export interface Dated {
  readonly at: number;
  readonly opinion: Promise<Opinion>;
}

interface Asked extends Dated {
  opinion: Promise<Opinion>;
  /** When the next may be requested. */
  readonly due: number;
  /** Whether it is still under way, also after its timeout: another one would open a second connection. */
  open: boolean;
}

/** The last opinion of each dependency; shared by all Healths in the process, since their connections add up. */
const asked: WeakMap<object, Asked> = /* @__PURE__ */ shared('opinions', () => new WeakMap());

interface When {
  /** Milliseconds between two opinions at least. */
  readonly every: number;
  /** When the failure began. */
  readonly since: number;
  /** From when on an opinion would confirm the last one, however new that is. */
  readonly confirmsFrom: number | undefined;
  readonly clock: Clock;
  /** Whether a request that began before a time may still run. */
  readonly mayRun: (before: number) => boolean;
}

/**
 * The opinion of a dependency: a new one if the last is `every` milliseconds old or has to be confirmed, else the last one if it was requested
 * for after `since`, when the failure began. Undefined if neither is available yet. It never rejects.
 */
export function askOpinion(second: SecondOpinion, result: CheckResult, when: When): Dated | undefined {
  const { every, since, confirmsFrom = -Infinity, clock } = when;
  const now = clock.now();
  const last = asked.get(second.dependency);
  if (last !== undefined && (last.open || (now < last.due && last.at >= confirmsFrom))) {
    return last.at >= since ? last : undefined;
  }
  // One that confirms another comes early; the next one then comes later by as much.
  const due = Math.max(now, last?.due ?? now) + every;
  const entry: Asked = { at: now, opinion: Promise.resolve(unknown), due, open: true };
  asked.set(second.dependency, entry);
  entry.opinion = ask(second, result, when, () => (entry.open = false));
  return entry;
}

/** Whether a dependency is reached, and when that was tried. */
interface Attempt {
  readonly at: number;
  readonly reaches: Promise<boolean | undefined>;
}

const attempts: WeakMap<object, Attempt> = /* @__PURE__ */ shared('reached', () => new WeakMap());

/** Whether a fresh connection works: tried at most once in `reachEvery`, however many callers there are. Undefined if that cannot be tried. It never rejects. */
export function tryReach({ dependency, reaches }: SecondOpinion, clock: Clock): Attempt | undefined {
  if (reaches === undefined) return undefined;
  const now = clock.now();
  const last = attempts.get(dependency);
  if (last !== undefined && now - last.at < reachEvery) return last;
  const reached = new Promise<boolean | undefined>((resolve) => {
    outsideRequest(() => resolve(Promise.resolve(reachTimeout).then(reaches)));
  }).catch(() => false);
  const entry = { at: now, reaches: clock.within<boolean | undefined>(reached, reachTimeout, false) };
  attempts.set(dependency, entry);
  return entry;
}

const unknown: Opinion = { scope: 'shared', evidence: 'no second opinion is available' };
const late: Opinion = { scope: 'shared', evidence: `no second opinion within ${opinionTimeout} ms` };

function ask(
  second: SecondOpinion,
  result: CheckResult,
  { since, clock, mayRun }: When,
  onEnd: () => void,
): Promise<Opinion> {
  const controller = abortController(clock.now() + opinionTimeout);
  return new Promise((resolve) => {
    outsideRequest(() => {
      const answered = Promise.resolve()
        .then(() => second.ask({ signal: controller.signal, result, since, mayRun }))
        .then((opinion) => ({ ...opinion, evidence: clean(opinion.evidence, maxEvidenceLength) }))
        .catch(() => unknown)
        .finally(onEnd);
      void clock.within<Opinion>(answered, opinionTimeout, late).then((opinion) => {
        if (opinion === late) controller.abort(new DOMException(late.evidence, 'TimeoutError'));
        resolve(opinion);
      });
    });
  });
}
