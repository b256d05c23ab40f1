import type * as PerfHooks from 'node:perf_hooks';
import { type Check, withScope } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { loop } from '../core/loop.js';
import { type Duration, timeout, requireValue } from '../core/options/rules.js';
import { requireKnownOptions } from '../core/options/read-options.js';
import { host } from '../core/runtime.js';
import { named } from './client.js';
import { measuring } from './listening.js';
import {
  judge,
  milliseconds,
  percent,
  requireThresholds,
  type Thresholds,
  type TimeThresholds,
} from './thresholds.js';

/** Options of `checks.eventLoop`. */
export interface EventLoopOptions {
  /** Share of the time that the event loop is busy. Default: warns from 0.95. */
  readonly utilization?: Thresholds;
  /** The 99th percentile of timer delay. Default: warns from 100 milliseconds, fails from 500. */
  readonly delay?: TimeThresholds;
  /** How much time before a run is judged, so that a short peak does not count. Default 10000; longer if the check runs less often. */
  readonly window?: Duration | undefined;
}

/**
 * A check of the event loop: `health.E019`. Its scope is
 * `shared`: busy is not broken, and the load that keeps one instance busy keeps the others busy, too.
 *
 * @example health.check('event_loop', checks.eventLoop({ delay: { warn: 50, error: 250 } }));
 */
export function eventLoop(options: EventLoopOptions = {}): Check {
  requireKnownOptions(options, ['utilization', 'delay', 'window'], 'checks.eventLoop');
  const utilization = requireThresholds('eventLoop', options.utilization ?? { warn: 0.95 }, 1);
  const delay = requireThresholds('eventLoop', options.delay ?? { warn: 100, error: 500 });
  const window = requireValue(options.window ?? 10_000, timeout, 'window of checks.eventLoop');
  const hooks = host.getBuiltinModule?.('node:perf_hooks');
  if (hooks === undefined)
    return withScope(
      named('event_loop', () => []),
      'shared',
    );
  const loopWindow = new LoopWindow(hooks, window);
  loopWindow.begin();
  const check = named('event_loop', () => {
    const seen = loopWindow.read();
    if (seen === undefined) return [];
    const { busy, late } = seen;
    const blame = blameOf(seen.since);
    const busyText = (threshold: number) =>
      `The event loop is busy ${percent(busy)} of the time, above ${percent(threshold)}${blame}`;
    const lateText = (threshold: number) =>
      `The event loop is ${milliseconds(late)} late, above ${milliseconds(threshold)}${blame}`;
    return [
      ...judge(busy, utilization, messageIds.eventLoop, busyText),
      ...judge(late, delay, messageIds.eventLoop, lateText),
    ];
  });
  return withScope(
    measuring(
      check,
      () => loopWindow.begin(),
      () => loopWindow.end(),
    ),
    'shared',
  );
}

/** The block that the watchdog saw since a moment, in milliseconds since 1970. */
function blameOf(moment: number): string {
  const { last } = loop;
  if (last === undefined || last.since + last.blockedFor < moment) return '';
  // Without its length: the end of the block may not have been noted yet.
  return `; it was blocked${last.culprit === undefined ? '' : ` in ${last.culprit}`}`;
}

const resolution = 10;

/** Milliseconds: shorter times say nothing, and two runs in one moment look at the same. */
const minWindow = 500;

/** The window that is judged: from the start of a part until now. */
interface Part {
  /** On the clock of `performance.now()`, and in milliseconds since 1970. */
  readonly at: number;
  readonly date: number;
  readonly utilization: ReturnType<typeof PerfHooks.performance.eventLoopUtilization>;
  /** The 99th percentile of the delay in it, once it has ended. */
  late: number;
}

/** Measurements of the event loop. */
interface Seen {
  readonly busy: number;
  readonly late: number;
  /** Since when it was looked at, in milliseconds since 1970. */
  readonly since: number;
}

/** Looks at the event loop over a window that moves: the part under way and the one before it, of half a window each. */
class LoopWindow {
  readonly #hooks: typeof PerfHooks;
  readonly #half: number;
  readonly #histogram: PerfHooks.IntervalHistogram;
  #part: Part;
  #before: Part | undefined;
  #last: { readonly at: number; readonly seen: Seen } | undefined;

  constructor(hooks: typeof PerfHooks, window: number) {
    this.#hooks = hooks;
    this.#half = window / 2;
    this.#histogram = hooks.monitorEventLoopDelay({ resolution });
    this.#part = this.#newPart();
  }

  begin(): void {
    if (!this.#histogram.enable()) return;
    this.#before = undefined;
    this.#last = undefined;
    this.#part = this.#newPart();
  }

  end(): void {
    this.#histogram.disable();
  }

  /** The measurements of the window; undefined before the first. */
  read(): Seen | undefined {
    const now = performance.now();
    if (this.#last !== undefined && now - this.#last.at < minWindow) return this.#last.seen;
    const part = this.#part;
    part.late = Math.max(0, this.#histogram.percentile(99) / 1e6 - resolution);
    const isOver = now - part.at >= this.#half;
    const first = isOver ? part : (this.#before ?? part);
    if (now - first.at < minWindow) return undefined;
    const seen = {
      busy: this.#hooks.performance.eventLoopUtilization(first.utilization).utilization,
      late: Math.max(first.late, part.late),
      since: first.date,
    };
    this.#last = { at: now, seen };
    if (isOver) {
      this.#before = part;
      this.#part = this.#newPart();
    }
    return seen;
  }

  #newPart(): Part {
    this.#histogram.reset();
    const utilization = this.#hooks.performance.eventLoopUtilization();
    return { at: performance.now(), date: Date.now(), utilization, late: 0 };
  }
}
