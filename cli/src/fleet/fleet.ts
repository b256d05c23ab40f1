import { isMessageLevel, type Status, statusOf } from '../../../src/tools.js';
import { NoAnswer, type Sample, type Vector } from './prometheus.js';

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

/** A check that has messages, with their ids: the worst first. */
export interface Finding {
  readonly check: string;
  readonly status: Status;
  readonly ids: readonly string[];
  readonly passed: Time;
}

export interface Instance {
  readonly name: string;
  readonly state: State;
  /** Of its last heartbeat. */
  readonly status: Status | undefined;
  readonly draining: boolean;
  readonly build: Build | undefined;
  /** When its process started, and when Prometheus last saw it. */
  readonly since: Time;
  readonly seen: Time;
  /** The gravest first. */
  readonly findings: readonly Finding[];
}

/** All instances with one value of the label that groups them. */
export interface Service {
  readonly name: string;
  readonly counts: Counts;
  /** The newest first, each since the start of its oldest instance. */
  readonly builds: readonly (Build & { readonly instances: number; readonly since: Time })[];
  /** How many instances run the newest of several builds. */
  readonly rollout: { readonly done: number; readonly total: number } | undefined;
  /** The sick first. */
  readonly instances: readonly Instance[];
}

/** One view of everything, by the clock of Prometheus. */
export interface Fleet {
  readonly at: Date;
  readonly counts: Counts;
  readonly warnings: readonly string[];
  /** The sick first. */
  readonly services: readonly Service[];
}

/** Healthy: an instance is ok, and none is down or failing. */
export const isHealthy = ({ counts }: Fleet): boolean =>
  counts.ok > 0 && counts.down === 0 && counts.failing === 0;

const hour = 3_600_000;
/** Message ids kept of a check. */
const maxIds = 5;
/** Labels that are named if `--by` is none of them. */
const maxLabels = 30;

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

interface Checked {
  level: number;
  passed: Time;
  readonly ids: { readonly id: string; readonly level: number }[];
}

/** The facts of one instance, collected while the answers are read. */
interface Target {
  readonly labels: Sample['labels'];
  /** Whether the last scrape succeeded; undefined if nothing scrapes it. */
  readonly up: boolean | undefined;
  readonly builds: Sample[];
  readonly gauges: Map<string, number>;
  readonly checks: Map<string, Checked>;
}

/** Labels of our series; Prometheus renames one if the target has it, too. */
const own = ['build', 'check', 'commit', 'id', 'probe', 'source', 'version'];
const ownLabel = ({ labels }: Sample, name: string): string | undefined =>
  labels[`exported_${name}`] ?? labels[name];

/** The instances of the answers, found by the labels of their target. */
class Targets {
  readonly all = new Map<string, Target>();
  readonly #addresses = new Map<string, Target[]>();

  add(labels: Sample['labels'], up: boolean | undefined): Target {
    const target: Target = { labels, up, builds: [], gauges: new Map(), checks: new Map() };
    this.all.set(keyOf(labels), target);
    const address = addressOf(labels);
    const same = this.#addresses.get(address) ?? [];
    this.#addresses.set(address, [...same.slice(-1), target]);
    return target;
  }

  /** The one that a series comes from; the only one of its address may have other labels by relabelling. */
  of(sample: Sample): Target | undefined {
    const same = this.#addresses.get(addressOf(sample.labels)) ?? [];
    return same.length === 1 ? same[0] : this.all.get(keyOf(targetLabels(sample.labels)));
  }
}

function targetLabels(labels: Sample['labels']): Sample['labels'] {
  const target = Object.entries(labels).filter(
    ([name]) =>
      !own.some((one) => name === (labels[`exported_${one}`] === undefined ? one : `exported_${one}`)),
  );
  return Object.fromEntries(target);
}

function keyOf({ __name__, ...labels }: Sample['labels']): string {
  return JSON.stringify(Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const addressOf = ({ job = '', instance = '' }: Sample['labels']): string => JSON.stringify([job, instance]);

/** Makes one view of the answers; `by` is the label that names a service. */
export function readFleet(answers: Answers, by: string): Fleet {
  const services = new Map<string, [Target, Instance][]>();
  const targets = ownTargets(collect(answers));
  refuseUnknown(by, targets);
  for (const target of targets) {
    const name = target.labels[by] ?? '';
    const members = services.get(name) ?? [];
    if (members.length === 0) services.set(name, members);
    members.push([target, instanceOf(target)]);
  }
  const vectors = Object.values(answers);
  const all = Array.from(services, ([name, members]) => serviceOf(name, members));
  return {
    at: new Date(vectors.find(({ at }) => at !== undefined)?.at ?? Date.now()),
    warnings: [...new Set(vectors.flatMap(({ warnings }) => warnings))],
    counts: countsOf(all.flatMap(({ instances }) => instances)),
    services: all.toSorted((one, other) => severity(one) - severity(other) || compare(one.name, other.name)),
  };
}

/** A label that no instance has would make one service of all. */
function refuseUnknown(by: string, targets: readonly Target[]): void {
  // Prometheus gives every target a job.
  if (by === 'job' || targets.length === 0 || targets.some(({ labels }) => labels[by] !== undefined)) return;
  const names = new Set(targets.flatMap(({ labels }) => Object.keys(labels)));
  const some = [...names]
    .filter((name) => name !== '__name__')
    .toSorted()
    .slice(0, maxLabels);
  throw new NoAnswer(`No instance has the label ${by} (--by); the labels are ${some.join(', ')}`);
}

function collect({ targets, builds, states, checks, messages, successes }: Answers): readonly Target[] {
  const found = new Targets();
  for (const { labels, value } of targets.samples) found.add(labels, value === 1);
  for (const sample of builds.samples) {
    const target = found.of(sample) ?? found.add(targetLabels(sample.labels), undefined);
    target.builds.push(sample);
  }
  for (const sample of states.samples) {
    const name = (sample.labels['__name__'] ?? '').replace(/^lifesign_/, '');
    // One series for each of the three probes.
    const key = name === 'probe_up' ? `probe_${ownLabel(sample, 'probe')}` : name;
    found.of(sample)?.gauges.set(key, sample.value);
  }
  const checked = (sample: Sample) => found.of(sample)?.checks.get(ownLabel(sample, 'check') ?? '');
  for (const sample of checks.samples) {
    const check: Checked = { level: sample.value, passed: undefined, ids: [] };
    found.of(sample)?.checks.set(ownLabel(sample, 'check') ?? '', check);
  }
  for (const sample of messages.samples)
    checked(sample)?.ids.push({ id: ownLabel(sample, 'id') ?? '', level: sample.value });
  for (const sample of successes.samples) {
    const check = checked(sample);
    if (check !== undefined) check.passed = timeOf(sample.value);
  }
  return [...found.all.values()];
}

/** Without targets of the same jobs that do not use lifesign; one that never answered counts if all others of its job do. */
function ownTargets(targets: readonly Target[]): readonly Target[] {
  const strangers = targets.filter(({ up, builds }) => up === true && builds.length === 0);
  const mixed = new Set(strangers.map(({ labels }) => labels['job']));
  return targets.filter(
    ({ up, builds, labels }) => builds.length > 0 || (up === false && !mixed.has(labels['job'])),
  );
}

const seenAt = ({ value }: Sample): number => (value > 0 ? Infinity : -value);

function instanceOf({ labels, up, builds, gauges, checks }: Target): Instance {
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
      const worst = ids.toSorted((one, other) => other.level - one.level).slice(0, maxIds);
      return { check, status: statusWord(level), ids: worst.map(({ id }) => id), passed };
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

function serviceOf(name: string, members: readonly (readonly [Target, Instance])[]): Service {
  const instances = unique(members).toSorted(
    (one, other) => rankOf(one) - rankOf(other) || compare(one.name, other.name),
  );
  const builds = buildsOf(instances);
  const total = builds.reduce((sum, { instances }) => sum + instances, 0);
  const isKnown = builds.every(({ since }) => since !== undefined);
  const [newest, second] = builds;
  const rollout = newest && second && isKnown ? { done: newest.instances, total } : undefined;
  return { name, counts: countsOf(instances), builds, rollout, instances };
}

/** Instances of one address in several places get the labels that distinguish them. */
function unique(members: readonly (readonly [Target, Instance])[]): readonly Instance[] {
  const many = new Map<string, number>();
  for (const [, { name }] of members) many.set(name, (many.get(name) ?? 0) + 1);
  return members.map(([{ labels }, instance]) => {
    if (many.get(instance.name) === 1) return instance;
    const { __name__, instance: _, ...others } = labels;
    const text = Object.entries(others).map(([name, value]) => `${name}=${value}`);
    return { ...instance, name: `${instance.name} {${text.toSorted().join(',')}}` };
  });
}

/** The running instances, and those that are down and should run, by build: the one that started last comes first. */
function buildsOf(instances: readonly Instance[]): Service['builds'] {
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
