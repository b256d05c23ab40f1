import { isMessageLevel, type Status, statusOf } from '../../../src/tools.js';
import {
  type Build,
  countsOf,
  type Finding,
  type Fleet,
  type Instance,
  type RunningBuild,
  type Service,
  type State,
  states,
} from './fleet.js';
import { NoAnswer, type Sample, type Vector } from './prometheus.js';
import type { Questions } from './watch.js';
import { ownLabel, type Target, Targets } from './targets.js';

/** The answers of Prometheus, by question. */
export type Answers = Readonly<Record<keyof Questions, Vector>>;

/** Message ids kept of a check. */
const maxIds = 5;

interface Reading {
  readonly now?: number;
  /** Throws once there is no time left; asked for every sample. */
  readonly checkTime?: () => void;
}

/** Makes one view of the answers; `by` is the label that names a service. */
export function readFleet(
  answers: Answers,
  by: string,
  { now = Date.now(), checkTime = () => {} }: Reading = {},
): Fleet {
  const services = new Map<string, [Target, Instance][]>();
  const targets = [...ownTargets(collect(answers, checkTime))];
  refuseUnknown(by, targets);
  for (const target of targets) {
    checkTime();
    const name = target.labels[by] ?? '';
    const members = services.get(name);
    const member: [Target, Instance] = [target, instanceOf(target)];
    if (members === undefined) services.set(name, [member]);
    else members.push(member);
  }
  const vectors = Object.values(answers);
  const all = Array.from(services, ([name, members]) => serviceOf(name, members));
  return {
    at: vectors.find(({ at }) => at !== undefined)?.at ?? now,
    counts: countsOf(all.flatMap(({ instances }) => instances)),
    warnings: [...new Set(vectors.flatMap(({ warnings }) => warnings))],
    services: all.toSorted((one, other) => severity(one) - severity(other) || compare(one.name, other.name)),
  };
}

/** A label that no instance has would make one service of all. */
function refuseUnknown(by: string, targets: readonly Target[]): void {
  // Prometheus gives every target a job.
  if (by === 'job' || targets.length === 0 || targets.some(({ labels }) => labels[by] !== undefined)) return;
  const names = new Set(targets.flatMap(({ labels }) => Object.keys(labels)));
  names.delete('__name__');
  throw new NoAnswer(
    `No instance has the label ${by} (--by); the labels are ${[...names].toSorted().slice(0, maxLabels).join(', ')}`,
  );
}

const maxLabels = 30;

function collect(
  { targets, builds, states, checks, messages, successes }: Answers,
  checkTime: () => void,
): Targets {
  const found = new Targets(targets.samples);
  for (const sample of builds.samples) {
    checkTime();
    found.ofOrGone(sample).builds.push(sample);
  }
  for (const sample of states.samples) {
    checkTime();
    const name = (sample.labels['__name__'] ?? '').replace(/^lifesign_/, '');
    // One series for each of the three probes.
    const key = name === 'probe_up' ? `probe_${ownLabel(sample.labels, 'probe')}` : name;
    found.of(sample)?.gauges.set(key, sample.value);
  }
  for (const sample of checks.samples) {
    checkTime();
    const check = ownLabel(sample.labels, 'check') ?? '';
    found.of(sample)?.checks.set(check, { level: sample.value, passed: undefined, ids: [] });
  }
  for (const sample of messages.samples) {
    checkTime();
    const [check = '', id = ''] = [ownLabel(sample.labels, 'check'), ownLabel(sample.labels, 'id')];
    found.of(sample)?.checks.get(check)?.ids.push({ id, level: sample.value });
  }
  for (const sample of successes.samples) {
    checkTime();
    const checked = found.of(sample)?.checks.get(ownLabel(sample.labels, 'check') ?? '');
    if (checked !== undefined) checked.passed = timeOf(sample.value);
  }
  return found;
}

/** Without targets of the same jobs that do not use lifesign. */
function* ownTargets(targets: Targets): Generator<Target> {
  const mixed = new Set<string | undefined>();
  for (const { up, builds, labels } of targets.all()) {
    if (up === true && builds.length === 0) mixed.add(labels['job']);
  }
  for (const target of targets.all()) {
    // One that never answered counts as one of ours if all the others of its job are.
    const unseen = target.up === false && !mixed.has(target.labels['job']);
    if (target.builds.length > 0 || unseen) yield target;
  }
}

function seenAt({ value }: Sample): number {
  return value > 0 ? Infinity : -value;
}

function instanceOf({ labels, up, builds, gauges, checks }: Target): Instance {
  // The present one, else the one seen last.
  const [last] = builds.toSorted((one, other) => seenAt(other) - seenAt(one) || 0);
  const present = last !== undefined && last.value > 0;
  const level = gauges.get('heartbeat_level');
  const draining = gauges.get('draining') === 1;
  return {
    name: labels['instance'] ?? '',
    state: stateOf(up, present, gauges),
    status: level === undefined ? undefined : statusWord(level),
    draining,
    build: last && {
      version: ownLabel(last.labels, 'version') || undefined,
      commit: ownLabel(last.labels, 'commit') || undefined,
    },
    since: timeOf(gauges.get('start_time_seconds')),
    seen: timeOf(last && Math.abs(last.value)),
    findings: Array.from(checks, ([check, { level, passed, ids }]): Finding & { level: number } => {
      const worst = ids.toSorted((one, other) => other.level - one.level).slice(0, maxIds);
      return { check, level, status: statusWord(level), ids: worst.map(({ id }) => id), passed };
    })
      .toSorted((one, other) => other.level - one.level || compare(one.check, other.check))
      .map(({ check, status, ids, passed }) => ({ check, status, ids, passed })),
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
  const named = unique(members).toSorted(
    (one, other) => rankOf(one) - rankOf(other) || compare(one.name, other.name),
  );
  const builds = buildsOf(named);
  const total = builds.reduce((sum, { instances }) => sum + instances, 0);
  const known = builds.every(({ since }) => since !== undefined);
  const [newest, second] = builds;
  const rollout = newest && second && known ? { done: newest.instances, total } : undefined;
  return { name, counts: countsOf(named), builds, rollout, instances: named };
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
function buildsOf(instances: readonly Instance[]): readonly RunningBuild[] {
  const builds = new Map<string, { build: Build; instances: number; since: number | undefined }>();
  for (const { state, build, since } of instances) {
    if (state === 'gone' || build === undefined) continue;
    const key = JSON.stringify([build.version, build.commit]);
    const known = builds.get(key);
    if (known === undefined) {
      builds.set(key, { build, instances: 1, since });
      continue;
    }
    known.instances += 1;
    if (since !== undefined) known.since = Math.min(since, known.since ?? since);
  }
  return Array.from(builds.values(), ({ build, ...rest }) => ({ ...build, ...rest })).toSorted(
    (one, other) => (other.since ?? 0) - (one.since ?? 0) || other.instances - one.instances,
  );
}

const gravity: readonly (Status | undefined)[] = ['critical', 'error', 'warning', 'info', 'debug'];

/** By state, the gravest status first. */
function rankOf({ state, status }: Instance): number {
  const grave = gravity.indexOf(status);
  return states.indexOf(state) * 10 + (grave === -1 ? gravity.length : grave);
}

function severity({ instances: [worst] }: Service): number {
  return worst === undefined ? Infinity : rankOf(worst);
}

/** By characters, numbers by their value: `web-9` before `web-10`. */
const { compare } = new Intl.Collator('en', { numeric: true });

function statusWord(level: number): Status {
  return isMessageLevel(level) ? statusOf(level) : 'ok';
}

/** Milliseconds of a time in seconds; undefined if it is not one. */
function timeOf(seconds: number | undefined): number | undefined {
  const time = (seconds ?? 0) * 1000;
  // The range of Date.
  return time > 0 && time <= 8.64e15 ? time : undefined;
}
