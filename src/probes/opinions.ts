import type { Clock } from '../core/time.js';
import { abortController } from '../core/heartbeat/run.js';
import type { CheckResult } from '../core/heartbeat/result.js';
import type { Opinion, SecondOpinion } from '../core/heartbeat/check.js';
import { opinionTimeout, reachEvery, reachTimeout } from './limits.js';
import { outsideRequest } from '../core/request/request.js';
import { clean } from '../core/scrub/scrub.js';
import { shared, attempt, host } from '../core/runtime.js';
import { isObject } from '../core/objects.js';

/** Characters of its evidence. */
const maxEvidenceLength = 200;

/** The state of the opinions of one dependency. */
interface Asked {
  /** When the last one was asked for, and its outcome. */
  at: number;
  said: Promise<Opinion>;
  /** When the next may be asked for. */
  readonly due: number;
  /** Whether it has not settled, in time or not: another would be a second connection. */
  open: boolean;
}

/** By dependency; shared by all Healths in the process, since their connections add up. */
const asked: WeakMap<object, Asked> = /* @__PURE__ */ shared('opinions', () => new WeakMap());

/** Watches whether the event loop of this process is too busy to judge a slow answer, until the returned function is called. */
export type WatchDelay = () => () => boolean;

/** If the event loop was not free for as long as a peer may take in all, the network may be fast. */
export const watchDelay: WatchDelay = () => {
  const loop = host.getBuiltinModule?.('node:perf_hooks').performance;
  const began = attempt(() => loop?.eventLoopUtilization());
  return () => {
    const { active = 0, idle = 0 } = (began && loop?.eventLoopUtilization(began)) ?? {};
    return active > 0 && active + idle > reachTimeout && idle <= reachTimeout;
  };
};

/** When an opinion is wanted. */
interface When {
  /** Milliseconds between two opinions at least. */
  readonly every: number;
  /** When the failure began. */
  readonly since: number;
  /** Since when one is wanted that confirms the last, however old that is. */
  readonly confirmsFrom: number | undefined;
  readonly clock: Clock;
  /** Undefined without peers: nothing else depends on whether the dependency was reached. */
  readonly watchDelay: WatchDelay | undefined;
  /** Whether a request that began before a time may still run. */
  readonly mayRun: (before: number) => boolean;
}

/** An opinion, and when it was asked for. */
export interface Dated {
  readonly at: number;
  readonly said: Promise<Opinion>;
}

/**
 * The opinion of a dependency: a new one if the last is `every` milliseconds old or has to be confirmed, else the last one if it was asked
 * for after `since`, when the failure began. Undefined if neither is available yet. It never rejects.
 */
export function opinionOf(second: SecondOpinion, result: CheckResult, when: When): Dated | undefined {
  const { every, since, confirmsFrom = -Infinity, clock } = when;
  const now = clock.now();
  const last = asked.get(second.dependency);
  if (last !== undefined && (last.open || (now < last.due && last.at >= confirmsFrom))) {
    return last.at >= since ? last : undefined;
  }
  // One that confirms another comes early, and the next one later by as much.
  const due = Math.max(now, last?.due ?? now) + every;
  const entry: Asked = { at: now, said: Promise.resolve(unknown), due, open: true };
  asked.set(second.dependency, entry);
  entry.said = requestOpinion(second, result, when, () => {
    entry.open = false;
  });
  return entry;
}

/** Whether a dependency is reached, and when that was tried. */
interface Reached {
  readonly at: number;
  readonly said: Promise<boolean | undefined>;
}

const reached: WeakMap<object, Reached> = /* @__PURE__ */ shared('reached', () => new WeakMap());

/** Whether a fresh connection works: tried at most once in `reachEvery`, however many ask. Undefined if that cannot be tried. It never rejects. */
export function reachOf({ dependency, reaches }: SecondOpinion, clock: Clock): Reached | undefined {
  if (reaches === undefined) return undefined;
  const now = clock.now();
  const last = reached.get(dependency);
  if (last !== undefined && now - last.at < reachEvery) return last;
  const tried = new Promise<boolean | undefined>((resolve) => {
    outsideRequest(() => resolve(Promise.resolve(reachTimeout).then(reaches)));
  });
  const said = clock.within<boolean | undefined>(
    tried.catch(() => false),
    reachTimeout,
    false,
  );
  const entry = { at: now, said };
  reached.set(dependency, entry);
  return entry;
}

const unknown: Opinion = { scope: 'shared', evidence: 'no second opinion is available' };
const late: Opinion = { scope: 'shared', evidence: `no second opinion within ${opinionTimeout} ms` };

function requestOpinion(
  second: SecondOpinion,
  result: CheckResult,
  { since, clock, watchDelay, mayRun }: When,
  settled: () => void,
): Promise<Opinion> {
  const controller = abortController(clock.now() + opinionTimeout);
  const wasBusy = watchDelay?.();
  return new Promise((resolve) => {
    outsideRequest(() => {
      const said = Promise.resolve()
        .then(() => second.ask({ signal: controller.signal, result, since, mayRun }))
        .then(opinionIn)
        // Also a value that throws when it is read.
        .catch(() => unknown)
        .finally(settled);
      void clock.within<Opinion>(said, opinionTimeout, late).then((opinion) => {
        if (opinion === late) controller.abort(new DOMException(late.evidence, 'TimeoutError'));
        resolve(wasBusy?.() === true && opinion.unreached === true ? withoutReach(opinion) : opinion);
      });
    });
  });
}

/** An opinion of a process that was too busy to know whether it reaches the dependency: peers have no say in it. */
export const withoutReach = ({ evidence }: Opinion): Opinion => ({
  scope: 'shared',
  evidence: `${evidence}; this process was too busy to know why`,
});

/** An opinion, as it may be shown; any other value is ignored. */
function opinionIn(said: unknown): Opinion {
  if (!isObject(said) || !('scope' in said)) return unknown;
  const evidence: unknown = Reflect.get(said, 'evidence');
  return {
    // Only a clear word takes an instance out.
    scope: said.scope === 'instance' ? 'instance' : 'shared',
    evidence: clean(typeof evidence === 'string' ? evidence : '', maxEvidenceLength),
    ...(Reflect.get(said, 'unreached') === true && { unreached: true }),
  };
}
