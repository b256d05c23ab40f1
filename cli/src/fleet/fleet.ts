import { isMessageLevel, type Status, statusOf } from '../../../src/tools.js';
import type { Sample, Vector } from './prometheus.js';

/** The states of an instance, the sick first: `unknown` before its first heartbeat, `gone` if it is no longer scraped. */
const states = ['down', 'failing', 'unknown', 'draining', 'gone', 'ok'] as const;
export type State = (typeof states)[number];
export type Counts = Readonly<Record<State, number>>;

/** Undefined if it is not known. */
type Time = Date | undefined;

/** Which build an instance runs, as its `version.json` says. */
export interface Build {
  readonly version: string | undefined;
  readonly commit: string | undefined;
}

/** One process. `since` is when it started, `seen` when Prometheus last saw it; the gravest findings come first. */
export type Instance = ReturnType<typeof instanceOf>;

/** All instances with one value of the label that groups them, the sick first. */
export type Service = ReturnType<typeof serviceOf>;

/** One view of everything, by the clock of Prometheus; the sick services come first. */
export type Fleet = ReturnType<typeof readFleet>;

/** Healthy: an instance is ok, and none is down or failing. */
export const isHealthy = ({ counts }: Fleet): boolean =>
  counts.ok > 0 && counts.down === 0 && counts.failing === 0;

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
    successes: `${series('lifesign_check_last_success_timestamp_seconds')} and ${series('lifesign_check_level')} > 0`,
  };
}

/** The answers of Prometheus, by question. */
export type Answers = Readonly<Record<keyof ReturnType<typeof questionsFor>, Vector>>;

/** The facts of one instance, collected while the answers are read. */
interface Target {
  readonly labels: Sample['labels'];
  /** Whether the last scrape succeeded; undefined if nothing scrapes it. */
  readonly up: boolean | undefined;
  readonly builds: Sample[];
  readonly gauges: Map<string, number>;
  readonly checks: Map<string, { level: number; passed: Time; readonly ids: [id: string, level: number][] }>;
}

/** Labels of our series; Prometheus renames one if the target has it, too. */
const own = ['build', 'check', 'commit', 'id', 'probe', 'source', 'version'];
const ownLabel = ({ labels }: Sample, name: string): string | undefined =>
  labels[`exported_${name}`] ?? labels[name];

/** The labels of the target that a series comes from. */
function targetOf({ __name__, ...labels }: Sample['labels']): Sample['labels'] {
  const ours = new Set(
    own.map((name) => (labels[`exported_${name}`] === undefined ? name : `exported_${name}`)),
  );
  return Object.fromEntries(
    Object.entries(labels)
      .filter(([name]) => !ours.has(name))
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

const keyOf = (labels: Sample['labels']): string => JSON.stringify(targetOf(labels));

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

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const known = groups.get(keyOf(one));
    if (known === undefined) groups.set(keyOf(one), [one]);
    else known.push(one);
  }
  return groups;
}

/** The targets of lifesign; one that never answered counts if all others of its job are. */
function targetsOf({ targets, builds, states, checks, messages, successes }: Answers): readonly Target[] {
  const found = new Map<string, Target>();
  const add = (key: string, labels: Sample['labels'], up: boolean | undefined): Target => {
    const target: Target = { labels, up, builds: [], gauges: new Map(), checks: new Map() };
    found.set(key, target);
    return target;
  };
  for (const {
    labels: { __name__, ...labels },
    value,
  } of targets.samples) {
    const sorted = Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1));
    add(JSON.stringify(Object.fromEntries(sorted)), labels, value === 1);
  }
  for (const sample of builds.samples) {
    const key = keyOf(sample.labels);
    (found.get(key) ?? add(key, targetOf(sample.labels), undefined)).builds.push(sample);
  }
  const of = ({ labels }: Sample): Target | undefined => found.get(keyOf(labels));
  for (const sample of states.samples) {
    const name = (sample.labels['__name__'] ?? '').replace(/^lifesign_/, '');
    // One series for each of the three probes.
    of(sample)?.gauges.set(name === 'probe_up' ? `probe_${ownLabel(sample, 'probe')}` : name, sample.value);
  }
  const checkOf = (sample: Sample) => of(sample)?.checks.get(ownLabel(sample, 'check') ?? '');
  for (const sample of checks.samples)
    of(sample)?.checks.set(ownLabel(sample, 'check') ?? '', {
      level: sample.value,
      passed: undefined,
      ids: [],
    });
  for (const sample of messages.samples)
    checkOf(sample)?.ids.push([ownLabel(sample, 'id') ?? '', sample.value]);
  for (const sample of successes.samples) {
    const check = checkOf(sample);
    if (check !== undefined) check.passed = timeOf(sample.value);
  }
  const all = [...found.values()];
  const strangers = all.filter(({ up, builds }) => up === true && builds.length === 0);
  const mixed = new Set(strangers.map(({ labels }) => labels['job']));
  return all.filter(
    ({ up, builds, labels }) => builds.length > 0 || (up === false && !mixed.has(labels['job'])),
  );
}

const seenAt = ({ value }: Sample): number => (value > 0 ? Infinity : -value);

function instanceOf({ labels, up, builds, gauges, checks }: Target) {
  // The present one, else the one seen last.
  const [last] = builds.toSorted((one, other) => seenAt(other) - seenAt(one) || 0);
  const level = gauges.get('heartbeat_level');
  const found = Array.from(checks, ([check, facts]) => ({ check, ...facts })).toSorted(
    (one, other) => other.level - one.level || compare(one.check, other.check),
  );
  return {
    name: labels['instance'] ?? '',
    state: stateOf(up, last !== undefined && last.value > 0, gauges),
    status: level === undefined ? undefined : statusWord(level),
    draining: gauges.get('draining') === 1,
    build: last && {
      version: ownLabel(last, 'version') || undefined,
      commit: ownLabel(last, 'commit') || undefined,
    },
    since: timeOf(gauges.get('start_time_seconds')),
    seen: timeOf(last && Math.abs(last.value)),
    findings: found.map(({ check, level, passed, ids }) => {
      const worst = ids.toSorted(([, one], [, other]) => other - one).slice(0, maxIds);
      return { check, status: statusWord(level), ids: worst.map(([id]) => id), passed };
    }),
  };
}

function stateOf(up: boolean | undefined, present: boolean, gauges: ReadonlyMap<string, number>): State {
  if (up === false) return 'down';
  // Without `up` it may be one that is pushed, not scraped.
  if (!present) return up === undefined ? 'gone' : 'unknown';
  if (gauges.get('heartbeat_failed') === 1) return 'failing';
  if (gauges.get('draining') === 1) return 'draining';
  if (gauges.has('heartbeat_level')) return 'ok';
  // If only the probes of a platform ask, their verdicts count.
  const verdicts = ['probe_live', 'probe_ready'].flatMap((name) => gauges.get(name) ?? []);
  if (verdicts.length === 0) return 'unknown';
  return verdicts.includes(0) ? 'failing' : 'ok';
}

/** Its builds come newest first, each since the start of its oldest instance; a rollout is how many run the newest of several. */
function serviceOf(name: string, targets: readonly Target[]) {
  const instances = instancesOf(targets).toSorted(
    (one, other) => rankOf(one) - rankOf(other) || compare(one.name, other.name),
  );
  const builds = buildsOf(instances);
  const total = builds.reduce((sum, build) => sum + build.instances, 0);
  const isKnown = builds.length > 1 && builds.every(({ since }) => since !== undefined);
  const rollout = isKnown ? { done: builds[0]?.instances ?? 0, total } : undefined;
  return { name, counts: countsOf(instances), builds, rollout, instances };
}

/** Instances of one address in several places get the labels that distinguish them. */
function instancesOf(targets: readonly Target[]): readonly Instance[] {
  const same = grouped(targets, ({ labels }) => labels['instance'] ?? '');
  return targets.map((target) => {
    const instance = instanceOf(target);
    const { instance: address, ...others } = target.labels;
    if (same.get(address ?? '')?.length === 1) return instance;
    const text = Object.entries(others).map(([name, value]) => `${name}=${value}`);
    return { ...instance, name: `${instance.name} {${text.toSorted().join(',')}}` };
  });
}

/** The running instances, and those that are down and should run, by build: the one that started last comes first. */
function buildsOf(instances: readonly Instance[]) {
  const builds = new Map<string, Build & { instances: number; since: Time }>();
  for (const { state, build, since } of instances) {
    if (state === 'gone' || build === undefined) continue;
    const key = JSON.stringify([build.version, build.commit]);
    const known = builds.get(key) ?? { ...build, instances: 0, since };
    builds.set(key, known);
    known.instances += 1;
    if (since !== undefined && !(known.since && known.since < since)) known.since = since;
  }
  return [...builds.values()].toSorted(
    (one, other) => Number(other.since ?? 0) - Number(one.since ?? 0) || other.instances - one.instances,
  );
}

function countsOf(all: readonly Instance[]): Counts {
  const counts = { down: 0, failing: 0, unknown: 0, draining: 0, gone: 0, ok: 0 };
  for (const { state } of all) counts[state] += 1;
  return counts;
}

const gravity: readonly (Status | undefined)[] = ['critical', 'error', 'warning', 'info', 'debug'];

/** By state, the gravest status first. */
function rankOf({ state, status }: Instance): number {
  const grave = gravity.indexOf(status);
  return states.indexOf(state) * 10 + (grave === -1 ? gravity.length : grave);
}

const severity = ({ instances: [worst] }: Service): number =>
  worst === undefined ? Infinity : rankOf(worst);

/** By characters, numbers by their value: `web-9` before `web-10`. */
const { compare } = new Intl.Collator('en', { numeric: true });

const statusWord = (level: number): Status => (isMessageLevel(level) ? statusOf(level) : 'ok');

/** A time in seconds; undefined if a Date cannot hold it. */
function timeOf(seconds: number | undefined): Time {
  const time = (seconds ?? 0) * 1000;
  return time > 0 && time <= 8.64e15 ? new Date(time) : undefined;
}
