import type { Check } from '../core/heartbeat/check.js';
import { withScope } from '../core/heartbeat/scope.js';
import type { Duration } from '../core/options/duration.js';
import { requireKnownOptions, requireValue } from '../core/options/read-option.js';
import { timeout } from '../core/options/rules.js';
import { loop } from '../core/loop.js';
import { host } from '../core/runtime.js';
import {
  judge,
  milliseconds,
  percent,
  requireThresholds,
  type Thresholds,
  type TimeThresholds,
} from './thresholds.js';
import { LoopWindow } from './loop-window.js';
import { measuring } from './measuring.js';
import { named } from './named.js';
import * as messageIds from '../core/heartbeat/message-ids.js';

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
 * A check of the event loop: Warning `health.W006`, Error `health.E019`. Its scope is
 * `shared`: busy is not broken, and the load that keeps one instance busy keeps the others busy, too.
 *
 * @example health.check('event_loop', checks.eventLoop({ delay: { warn: 50, error: 250 } }));
 */
export function eventLoop(options: EventLoopOptions = {}): Check {
  requireKnownOptions(options, ['utilization', 'delay', 'window'], 'checks.eventLoop');
  const utilization = requireThresholds('eventLoop', options.utilization ?? { warn: 0.95 }, 1);
  const delay = requireThresholds('eventLoop', options.delay ?? { warn: 100, error: 500 });
  const window = requireValue(options.window ?? 10_000, timeout, 'window of checks.eventLoop');
  const ids = messageIds.eventLoop;
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
    return [...judge(busy, utilization, ids, busyText), ...judge(late, delay, ids, lateText)];
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
