import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Service } from '../http/exchange.js';
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
  /** The current addresses of the targets: the addresses of a name change in a rollout. */
  readonly places: () => Promise<readonly Place[]>;
  /** Called after each answer but the last. */
  readonly onAnswer: (targets: readonly Target[], now: number) => void;
}

/** A service gets no more requests than this; up to a quarter is added, so that many pipelines do not send them in step. */
const between = 1000;
const jitter = 0.25;
const oneAnswer = 5000;
/** Bytes of a body: the body of a healthy service is a fraction of it, and one that floods gets no further. */
const maxBytes = 256 * 1024;
/** Connections that are open at once, however many services and addresses there are. */
const maxConnections = 32;
/** How often the addresses of a name are looked up. */
const lookupEvery = 5000;

/** Sends requests until all targets meet the conditions, or the time is up. */
export async function watch(plan: Watch): Promise<{ done: boolean; targets: readonly Target[] }> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), plan.timeout);
  const lanes = new Lanes(plan, over);
  await lanes.follow();
  clearTimeout(timer);
  return lanes.outcome();
}

/** For each current address a lane, which sends one request after the other. All end with `over`. */
class Lanes {
  readonly #plan: Watch;
  readonly #over: AbortController;
  /** A little after the end: a request that was cut off then is not an answer. */
  readonly #until: number;
  readonly #lanes = new Map<string, { target: Target; leave: AbortController }>();
  readonly #running: Promise<void>[] = [];
  readonly #connections = new Turns(maxConnections);
  #done = false;

  constructor(plan: Watch, over: AbortController) {
    this.#plan = plan;
    this.#over = over;
    this.#until = performance.now() + plan.timeout + 100;
  }

  /** Opens and closes lanes as the addresses change, until the end. */
  async follow(): Promise<void> {
    const { signal } = this.#over;
    const ended = new Promise<readonly Place[]>((resolve) => {
      signal.addEventListener('abort', () => resolve([]), { once: true });
    });
    while (!signal.aborted) {
      // A name server that hangs ends with the time, too.
      const found = await Promise.race([this.#plan.places(), ended]);
      if (signal.aborted) return;
      this.#open(found);
      await sleep(lookupEvery, undefined, { signal }).catch(() => {});
    }
  }

  async outcome(): Promise<{ done: boolean; targets: readonly Target[] }> {
    await Promise.all(this.#running);
    return { done: this.#done, targets: this.#targets };
  }

  get #targets(): readonly Target[] {
    return [...this.#lanes.values()].map(({ target }) => target);
  }

  #open(places: readonly Place[]): void {
    const names = new Set(places.map(({ name }) => name));
    for (const [name, { leave }] of this.#lanes) {
      if (names.has(name)) continue;
      leave.abort();
      this.#lanes.delete(name);
    }
    for (const place of places) {
      if (this.#lanes.has(place.name)) continue;
      const target = new Target(place.name, this.#plan.conditions);
      const leave = new AbortController();
      this.#lanes.set(place.name, { target, leave });
      this.#running.push(this.#run(place, target, AbortSignal.any([this.#over.signal, leave.signal])));
    }
  }

  async #run({ service }: Place, target: Target, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const delay = sleep(between * (1 + jitter * Math.random()), undefined, { signal }).catch(() => {});
      const condition = target.next();
      if (condition === undefined) return;
      const asked = { ...service, timeout: oneAnswer, until: this.#until, maxBytes };
      const answer = await this.#connections.take(async () =>
        signal.aborted ? undefined : ask(asked, 'GET', condition.path),
      );
      // An answer that was cut off by the end of all the time says nothing of the service.
      if (answer === undefined || signal.aborted) return;
      target.take(condition, condition.judge(answer), performance.now());
      this.#judge();
      await delay;
    }
  }

  #judge(): void {
    const { holdFor, onAnswer } = this.#plan;
    const now = performance.now();
    const held = this.#targets.map((target) => target.goodFor(now));
    this.#done = held.length > 0 && held.every((time) => time !== undefined && time >= holdFor);
    if (this.#done) this.#over.abort();
    else onAnswer(this.#targets, now);
  }
}

/** Lets this many run at once; the others wait, in the order in which they came. */
class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(limit: number) {
    this.#free = limit;
  }

  async take<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await run();
    } finally {
      // Handed on, and not put back: a new caller must not overtake the ones that wait.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
