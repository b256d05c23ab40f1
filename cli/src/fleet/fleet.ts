import { isMessageLevel, type Status, statusOf } from '../../../src/tools.js';
import type { Sample, Vector } from './prometheus.js';

/** The states of an instance, the sick first: `unknown` before its first heartbeat, `gone` if it is no longer scraped. */
const states = ['down', 'failing', 'unknown', 'draining', 'gone', 'ok'] as const;
export type State = (typeof states)[number];
export type Counts = Readonly<Record<State, number>>;

/** Which build an instance runs, as its `version.json` says. */
export interface Build {
  readonly version: string | undefined;
  readonly commit: string | undefined;
}

const hour = 3_600_000;
/** Message ids kept of a check. */
const maxIds = 5;

/** One query for each question, however many instances there are; `window` is how long a gone instance is remembered. */
export function questionsFor(match: readonly (readonly [string, string])[], window: number) {
  const matchers = match.map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  const series = (name: string) => (matchers.length === 0 ? name : `${name}{${matchers.join(',')}}`);
  const names = ['draining', 'heartbeat_failed', 'heartbeat_level', 'probe_up', 'start_time_seconds'];
  const gauges = [`__name__=~"lifesign_(${names.join('|')})"`, ...matchers];
  const build = series('lifesign_build_info');
  const past = `${Math.ceil(window / 1000)}s`;
  const recent = `${Math.ceil(Math.min(window, hour) / 1000)}s`;
  // At least a minute, and at most 288 steps: a long window costs no more than a day at five minutes.
  const step = `${Math.max(60, Math.ceil(window / 1000 / 288))}s`;
  // Every sample of a day would exceed the limit of a large Prometheus. Between two steps a service may have started and died: those are read in full.
  const jobs = `${build} or present_over_time(${build}[10m]) or present_over_time(${build}[1d:5m])`;
  return {
    // The scraped targets and whether they answer: `up` of the jobs that had a lifesign within a day.
    targets: `${series('up')} and on (job) group by (job) (${jobs})`,
    // When each build was last seen: negative for one that has ended, 0 if it lived between two steps of the last hour.
    builds: `timestamp(${build}) or -max_over_time(timestamp(${build})[${past}:${step}]) or 0 * last_over_time(${build}[${recent}])`,
    // When instances that no longer answer started: it shows a rollout.
    states: `{${gauges.join(',')}} or last_over_time(${series('lifesign_start_time_seconds')}[${past}])`,
    checks: `${series('lifesign_check_level')} > 0`,
    messages: `${series('lifesign_check_message')} > 0`,
  };
}

/** The answers of Prometheus, by question. */
export type Answers = Readonly<Record<keyof ReturnType<typeof questionsFor>, Vector>>;

/** The series of one target. */
interface Target extends Record<Exclude<keyof Answers, 'targets'>, Sample[]> {
  readonly labels: Sample['labels'];
  /** Whether the last scrape succeeded; undefined if nothing scrapes it. */
  readonly up: boolean | undefined;
}

/** Labels of our series; Prometheus renames one if the target has it, too. */
const own = ['build', 'check', 'commit', 'id', 'probe', 'source', 'version'];
const ownLabel = (name: string, { labels }: Sample): string =>
  labels[`exported_${name}`] ?? labels[name] ?? '';

/** The labels of the target that one of our series comes from. */
function targetLabels(labels: Sample['labels']): Sample['labels'] {
  const ours = new Set(
    own.map((name) => (labels[`exported_${name}`] === undefined ? name : `exported_${name}`)),
  );
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !ours.has(name)));
}

/** The targets of lifesign; one that never answered counts if all others of its job are. */
function targetsOf({ targets, ...series }: Answers): readonly Target[] {
  const found = new Map<string, Target>();
  const find = ({ __name__, ...labels }: Sample['labels'], up?: boolean): Target => {
    const key = JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)));
    const known = found.get(key);
    if (known !== undefined) return known;
    const target = { labels, up, builds: [], states: [], checks: [], messages: [] };
    found.set(key, target);
    return target;
  };
  for (const { labels, value } of targets.samples) find(labels, value === 1);
  for (const question of ['builds', 'states', 'checks', 'messages'] as const)
    for (const sample of series[question].samples) find(targetLabels(sample.labels))[question].push(sample);
  const all = [...found.values()];
  const strangers = all.filter(({ up, builds }) => up === true && builds.length === 0);
  const mixed = new Set(strangers.map(({ labels }) => labels['job']));
  return all.filter(
    ({ up, builds, labels }) => builds.length > 0 || (up === false && !mixed.has(labels['job'])),
  );
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const known = groups.get(keyOf(one));
    if (known === undefined) groups.set(keyOf(one), [one]);
    else known.push(one);
  }
  return groups;
}

/** When a build was last seen: now, or at a time in the past. */
const seenAt = ({ value }: Sample): number => (value > 0 ? Infinity : -value);

/** One process. `since` is when it started, `seen` when Prometheus last saw it; the gravest findings come first. */
export type Instance = ReturnType<typeof instanceOf>;

function instanceOf(target: Target) {
  const { labels, builds, states: gauges, checks, messages } = target;
  const gauge = (name: string): number | undefined =>
    gauges.find((sample) => sample.labels['__name__'] === `lifesign_${name}`)?.value;
  // The present one, else the one seen last.
  const [last] = builds.toSorted((one, other) => seenAt(other) - seenAt(one) || 0);
  const level = gauge('heartbeat_level');
  const idsOf = grouped(messages, (sample) => ownLabel('check', sample));
  const findings = checks.map((sample) => {
    const check = ownLabel('check', sample);
    const worst = (idsOf.get(check) ?? []).toSorted((one, other) => other.value - one.value);
    return {
      check,
      status: statusWord(sample.value),
      ids: worst.slice(0, maxIds).map((message) => ownLabel('id', message)),
    };
  });
  return {
    name: labels['instance'] ?? '',
    state: stateOf(target, gauge),
    status: level === undefined ? undefined : statusWord(level),
    draining: gauge('draining') === 1,
    build: last && {
      version: ownLabel('version', last) || undefined,
      commit: ownLabel('commit', last) || undefined,
    },
    since: timeOf(gauge('start_time_seconds')),
    seen: timeOf(last && Math.abs(last.value)),
    findings: findings.toSorted(
      (one, other) => graveness(one.status) - graveness(other.status) || compare(one.check, other.check),
    ),
  };
}

function stateOf({ up, builds, states: gauges }: Target, gauge: (name: string) => number | undefined): State {
  if (up === false) return 'down';
  // Without `up` it may be one that is pushed, not scraped.
  if (!builds.some(({ value }) => value > 0)) return up === undefined ? 'gone' : 'unknown';
  if (gauge('heartbeat_failed') === 1) return 'failing';
  if (gauge('draining') === 1) return 'draining';
  if (gauge('heartbeat_level') !== undefined) return 'ok';
  // If only the probes of a platform send requests, their verdicts count.
  const verdicts = gauges.filter((sample) => /^(?:live|ready)$/.test(ownLabel('probe', sample)));
  if (verdicts.length === 0) return 'unknown';
  return verdicts.some(({ value }) => value === 0) ? 'failing' : 'ok';
}

/** All instances with one value of the label that groups them, the sick first. */
export type Service = ReturnType<typeof serviceOf>;

/** Its builds come newest first, each since the start of its oldest instance; a rollout is how many run the newest of several. */
function serviceOf(name: string, targets: readonly Target[]) {
  const same = grouped(targets, ({ labels }) => labels['instance'] ?? '');
  const instances = targets
    .map((target) => {
      const instance = instanceOf(target);
      if (same.get(instance.name)?.length === 1) return instance;
      // Instances of one address in several places get the labels that distinguish them.
      const { instance: _address, ...others } = target.labels;
      const text = Object.entries(others).map(([label, value]) => `${label}=${value}`);
      return { ...instance, name: `${instance.name} {${text.toSorted().join(',')}}` };
    })
    .toSorted((one, other) => rankOf(one) - rankOf(other) || compare(one.name, other.name));
  const builds = buildsOf(instances);
  const total = builds.reduce((sum, build) => sum + build.instances, 0);
  const isKnown = builds.length > 1 && builds.every(({ since }) => since !== undefined);
  const rollout = isKnown ? { done: builds[0]?.instances ?? 0, total } : undefined;
  return { name, counts: countsOf(instances), builds, rollout, instances };
}

/** The running instances, and those that are down and should run, by build: the one that started last comes first. */
function buildsOf(all: readonly Instance[]) {
  const running = all.filter(({ state, build }) => state !== 'gone' && build !== undefined);
  const builds = [...grouped(running, ({ build }) => JSON.stringify(build)).values()].map((instances) => {
    const starts = instances.flatMap(({ since }) => (since === undefined ? [] : Number(since)));
    const oldest = starts.reduce((one, other) => Math.min(one, other), Infinity);
    const { version, commit }: Build = instances[0]?.build ?? { version: undefined, commit: undefined };
    return { version, commit, instances: instances.length, since: timeOf(oldest / 1000) };
  });
  return builds.toSorted(
    (one, other) => Number(other.since ?? 0) - Number(one.since ?? 0) || other.instances - one.instances,
  );
}

/** One view of everything, by the clock of Prometheus; the sick services come first. */
export type Fleet = ReturnType<typeof readFleet>;

const severity = ({ instances: [worst] }: Service): number => (worst ? rankOf(worst) : Infinity);

/** Makes one view of the answers; `by` is the label that names a service. */
export function readFleet(answers: Answers, by: string) {
  const targets = grouped(targetsOf(answers), ({ labels }) => labels[by] ?? '');
  const services = Array.from(targets, ([name, members]) => serviceOf(name, members));
  const vectors = Object.values(answers);
  return {
    at: new Date(vectors.find(({ at }) => at !== undefined)?.at ?? Date.now()),
    warnings: [...new Set(vectors.flatMap(({ warnings }) => warnings))],
    counts: countsOf(services.flatMap(({ instances }) => instances)),
    services: services.toSorted(
      (one, other) => severity(one) - severity(other) || compare(one.name, other.name),
    ),
  };
}

/** Healthy: an instance is ok, and none is down or failing. */
export const isHealthy = ({ counts }: Fleet): boolean =>
  counts.ok > 0 && counts.down === 0 && counts.failing === 0;

function countsOf(all: readonly Instance[]): Counts {
  const counts = { down: 0, failing: 0, unknown: 0, draining: 0, gone: 0, ok: 0 };
  for (const { state } of all) counts[state] += 1;
  return counts;
}

const gravity = ['critical', 'error', 'warning', 'info', 'debug', 'ok', undefined];
const graveness = (status: Status | undefined): number => gravity.indexOf(status);

/** By state, the gravest status first. */
const rankOf = ({ state, status }: Instance): number => states.indexOf(state) * 10 + graveness(status);

/** By characters, numbers by their value: `web-9` before `web-10`. */
const { compare } = new Intl.Collator('en', { numeric: true });

const statusWord = (level: number): Status => (isMessageLevel(level) ? statusOf(level) : 'ok');

/** A time in seconds; undefined if it is not known, or if a Date cannot hold it. */
function timeOf(seconds: number | undefined): Date | undefined {
  const time = (seconds ?? 0) * 1000;
  return time > 0 && time <= 8.64e15 ? new Date(time) : undefined;
}
