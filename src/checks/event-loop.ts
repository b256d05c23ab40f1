import type { Check } from '../core/heartbeat/check.js';
import { requireKnownOptions } from '../core/options/read-option.js';
import { loop } from '../core/loop.js';
import { host } from '../core/runtime.js';
import { judge, milliseconds, percent, requireThresholds, type Thresholds } from './thresholds.js';
import { named } from './named.js';
import { messageIds } from '../core/heartbeat/message-ids.js';

/** Options of `checks.eventLoop`. */
export interface EventLoopOptions {
  /** Share of the time that the event loop is busy. Default: warns from 0.9, fails from 0.98. */
  readonly utilization?: Thresholds;
  /** The 99th percentile of timer delay in milliseconds. Default: warns from 100, fails from 500. */
  readonly delay?: Thresholds;
}

/** Shorter times say nothing: two heartbeats in one moment look at the same one. */
const shortest = 500;
const resolution = 10;

/**
 * A check of the event loop since the previous run: Warning `health.W006`, Error `health.E019`.
 *
 * @example health.check('event_loop', checks.eventLoop({ delay: { warn: 50, error: 250 } }));
 */
export function eventLoop(options: EventLoopOptions = {}): Check {
  requireKnownOptions(options, ['utilization', 'delay'], 'checks.eventLoop');
  const utilization = requireThresholds('eventLoop', options.utilization ?? { warn: 0.9, error: 0.98 }, 1);
  const delay = requireThresholds('eventLoop', options.delay ?? { warn: 100, error: 500 });
  const ids = messageIds.eventLoop;
  const hooks = host.getBuiltinModule?.('node:perf_hooks');
  if (hooks === undefined) return named('event_loop', () => []);
  const histogram = hooks.monitorEventLoopDelay({ resolution });
  histogram.enable();
  let since = hooks.performance.eventLoopUtilization();
  let at = performance.now();
  /** When the time began that is judged, in milliseconds since 1970. */
  let before = Date.now();
  let began = before;
  let seen = { busy: 0, late: 0 };
  return named('event_loop', () => {
    if (performance.now() - at >= shortest) {
      const now = hooks.performance.eventLoopUtilization();
      const late = Math.max(0, histogram.percentile(99) / 1e6 - resolution);
      seen = { busy: hooks.performance.eventLoopUtilization(now, since).utilization, late };
      since = now;
      at = performance.now();
      before = began;
      began = Date.now();
      histogram.reset();
    }
    const { busy, late } = seen;
    const blame = blameOf(before);
    const busyText = (threshold: number) =>
      `The event loop is busy ${percent(busy)} of the time, above ${percent(threshold)}${blame}`;
    const lateText = (threshold: number) =>
      `The event loop is ${milliseconds(late)} late, above ${milliseconds(threshold)}${blame}`;
    return [...judge(busy, utilization, ids, busyText), ...judge(late, delay, ids, lateText)];
  });
}

/** What the watchdog saw since a moment, in milliseconds since 1970. */
function blameOf(moment: number): string {
  const { last } = loop;
  if (last === undefined || last.since + last.blockedFor < moment) return '';
  // How long is not told: the end of the block may not have been noted yet.
  return `; it was blocked${last.culprit === undefined ? '' : ` in ${last.culprit}`}`;
}
