const hour = 3_600_000;

/** The queries for one view, one for each question, however many instances there are. */
export interface Questions {
  /** The scraped targets and whether they answer: `up` of the jobs that had a lifesign within a day. */
  readonly targets: string;
  /** The build of each instance: when it was last seen, negative or 0 if that has ended. */
  readonly builds: string;
  /** How each instance is. */
  readonly states: string;
  /** Which checks have something to say, and how grave it is. */
  readonly checks: string;
  /** Under which message ids. */
  readonly messages: string;
  /** When such a check last passed. */
  readonly successes: string;
}

/** `window`: how long a gone instance is remembered, in milliseconds. */
export function questionsFor(match: readonly (readonly [string, string])[], window: number): Questions {
  const matchers = match.map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  const series = (name: string) => (matchers.length === 0 ? name : `${name}{${matchers.join(',')}}`);
  const names = ['draining', 'heartbeat_failed', 'heartbeat_level', 'probe_up', 'start_time_seconds'];
  const gauges = [`__name__=~"lifesign_(${names.join('|')})"`, ...matchers];
  const build = series('lifesign_build_info');
  const past = `${Math.ceil(window / 1000)}s`;
  const recent = `${Math.ceil(Math.min(window, hour) / 1000)}s`;
  // At least a minute, and at most 288 steps: a long window costs no more than a day at five minutes.
  const step = `${Math.max(60, Math.ceil(window / 1000 / 288))}s`;
  return {
    // By steps, since reading every sample of a day would exceed the limit of a large Prometheus; younger instances are in the present values.
    targets: `${series('up')} and on (job) group by (job) (${build} or present_over_time(${build}[1d:5m]))`,
    // Instances that lived between two steps are found by their samples, of an hour at most; when they were last seen is not known then.
    builds: `timestamp(${build}) or -max_over_time(timestamp(${build})[${past}:${step}]) or 0 * last_over_time(${build}[${recent}])`,
    // When instances that no longer answer started: it shows a rollout.
    states: `{${gauges.join(',')}} or last_over_time(${series('lifesign_start_time_seconds')}[${past}])`,
    checks: `${series('lifesign_check_level')} > 0`,
    messages: `${series('lifesign_check_message')} > 0`,
    successes: `${series('lifesign_check_last_success_timestamp_seconds')} and ${series('lifesign_check_level')} > 0`,
  };
}
