import { type Check, withScope } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { loop } from '../core/loop.js';
import { type Duration, optional, timeout } from '../core/options/rules.js';
import { optionReader } from '../core/options/read-options.js';
import { host } from '../core/runtime.js';
import { clientCheck, type Life } from './listening.js';
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
  /** How much time is judged at once, so that a short peak does not count. Default 10000; longer if the check runs less often. */
  readonly window?: Duration | undefined;
}

/**
 * A check of the event loop: `health.E019`. Its scope is
 * `shared`: busy is not broken, and the load that keeps one instance busy keeps the others busy, too.
 *
 * @example health.check('event_loop', checks.eventLoop({ delay: { warn: 50, error: 250 } }));
 */
export function eventLoop(options: EventLoopOptions = {}): Check {
  const option = optionReader('checks.eventLoop', options, ['utilization', 'delay', 'window']);
  const utilization = requireThresholds('eventLoop', options.utilization ?? { warn: 0.95 }, 1);
  const delay = requireThresholds('eventLoop', options.delay ?? { warn: 100, error: 500 });
  const window = option('window', optional(timeout)) ?? 10_000;
  const check = clientCheck('event_loop', (life) => {
    const read = watchLoop(window, life);
    return () => {
      const seen = read();
      if (seen === undefined) return [];
      const { busy, late, since } = seen;
      const blame = blameOf(since);
      const busyText = (threshold: number) =>
        `The event loop is busy ${percent(busy)} of the time, above ${percent(threshold)}${blame}`;
      const lateText = (threshold: number) =>
        `The event loop is ${milliseconds(late)} late, above ${milliseconds(threshold)}${blame}`;
      return [
        ...judge(busy, utilization, messageIds.eventLoop, busyText),
        ...judge(late, delay, messageIds.eventLoop, lateText),
      ];
    };
  });
  return withScope(check, 'shared');
}

/** The block that the watchdog saw since a moment, in milliseconds since 1970. */
function blameOf(moment: number): string {
  const { last } = loop;
  if (last === undefined || last.since + last.blockedFor < moment) return '';
  // Without its length: the end of the block may not have been noted yet.
  return `; it was blocked${last.culprit === undefined ? '' : ` in ${last.culprit}`}`;
}

const resolution = 10;

/** Milliseconds: a shorter measurement means little. */
const minWindow = 500;

interface Seen {
  /** The share of the time that the event loop was busy. */
  readonly busy: number;
  /** The 99th percentile of the delay, in milliseconds. */
  readonly late: number;
  /** When the window began, in milliseconds since 1970. */
  readonly since: number;
}

/** Measures the event loop, one window after the other. Returns the last whole window; before the first one ends, the part so far. */
function watchLoop(window: number, life: Life): () => Seen | undefined {
  const hooks = host.getBuiltinModule?.('node:perf_hooks');
  if (hooks === undefined) return () => undefined;
  const histogram = hooks.monitorEventLoopDelay({ resolution });
  histogram.enable();
  life.onClose(() => histogram.disable());
  const begin = () => {
    histogram.reset();
    return {
      at: performance.now(),
      since: Date.now(),
      utilization: hooks.performance.eventLoopUtilization(),
    };
  };
  let began = begin();
  let last: Seen | undefined;
  return () => {
    const elapsed = performance.now() - began.at;
    if (elapsed < (last === undefined ? minWindow : Math.max(minWindow, window))) return last;
    const seen = {
      busy: hooks.performance.eventLoopUtilization(began.utilization).utilization,
      late: Math.max(0, histogram.percentile(99) / 1e6 - resolution),
      since: began.since,
    };
    if (elapsed < window) return seen;
    began = begin();
    last = seen;
    return seen;
  };
}
