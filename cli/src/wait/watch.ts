import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Service } from '../http/exchange.js';
import { Turns } from '../http/turns.js';
import type { Condition } from './conditions.js';
import { Target } from './target.js';

/** The address of a target. */
export interface Place {
  readonly name: string;
  readonly service: Omit<Service, 'until' | 'timeout'>;
}

/** The conditions, and how long to wait. */
export interface Watch {
  readonly conditions: readonly Condition[];
  /** Milliseconds that all must hold at once. */
  readonly holdFor: number;
  readonly timeout: number;
  /** The current addresses of the targets: those of a name change in a rollout. */
  readonly places: () => Promise<readonly Place[]>;
  /** Called after each answer but the last. */
  readonly onAnswer: (targets: readonly Target[], now: number) => void;
}

/** A service is asked no more often than this; up to a quarter is added, so that many pipelines do not ask in step. */
const between = 1000;
const jitter = 0.25;
const oneAnswer = 5000;
/** Bytes of a body: that of a healthy service takes a fraction of it, and one that floods gets no further. */
export const maxBytes = 256 * 1024;
/** Connections that are open at once, however many services and addresses there are. */
export const maxConnections = 32;
/** How often the addresses of a name are looked up. */
const lookupEvery = 5000;

/** Sends requests until all targets meet the conditions, or the time is up. */
export async function watch(plan: Watch): Promise<{ done: boolean; targets: readonly Target[] }> {
  const { conditions, holdFor, timeout, places, onAnswer } = plan;
  const started = performance.now();
  // A little after the end: a request that was cut off then is not an answer.
  const until = started + timeout + 100;
  const over = new AbortController();
  const lanes = new Map<string, { target: Target; leave: AbortController }>();
  const targets = () => [...lanes.values()].map(({ target }) => target);
  const timer = setTimeout(() => over.abort(), timeout);
  const connections = new Turns(maxConnections);
  let done = false;

  const judge = () => {
    const now = performance.now();
    const held = targets().map((target) => target.goodFor(now));
    done = held.length > 0 && held.every((time) => time !== undefined && time >= holdFor);
    if (done) over.abort();
    else onAnswer(targets(), now);
  };

  const runLane = async ({ service }: Place, target: Target, signal: AbortSignal) => {
    while (!signal.aborted) {
      const delay = sleep(between * (1 + jitter * Math.random()), undefined, { signal }).catch(() => {});
      const condition = target.next();
      if (condition === undefined) return;
      const asked = { ...service, timeout: oneAnswer, until, maxBytes };
      const answer = await connections.take(async () =>
        signal.aborted ? undefined : ask(asked, 'GET', condition.path),
      );
      // An answer that was cut off by the end of all the time says nothing of the service.
      if (answer === undefined || signal.aborted) return;
      target.take(condition, condition.judge(answer), performance.now());
      judge();
      await delay;
    }
  };

  const running: Promise<void>[] = [];
  const ended = new Promise<readonly Place[]>((resolve) => {
    over.signal.addEventListener('abort', () => resolve([]), { once: true });
  });
  const follow = async () => {
    while (!over.signal.aborted) {
      // A name server that hangs ends with the time, too.
      const found = await Promise.race([places(), ended]);
      if (over.signal.aborted) return;
      const names = new Set(found.map(({ name }) => name));
      for (const [name, { leave }] of lanes) {
        if (names.has(name)) continue;
        leave.abort();
        lanes.delete(name);
      }
      for (const place of found) {
        if (lanes.has(place.name)) continue;
        const target = new Target(place.name, conditions);
        const leave = new AbortController();
        lanes.set(place.name, { target, leave });
        running.push(runLane(place, target, AbortSignal.any([over.signal, leave.signal])));
      }
      await sleep(lookupEvery, undefined, { signal: over.signal }).catch(() => {});
    }
  };

  await follow();
  clearTimeout(timer);
  await Promise.all(running);
  return { done, targets: targets() };
}
