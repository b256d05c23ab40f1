import type { Sample } from './prometheus.js';

type Labels = Readonly<Record<string, string>>;

/** What is known of one instance while the answers are read. */
export interface Target {
  readonly labels: Labels;
  /** Whether the last scrape succeeded; undefined where nothing scrapes it. */
  readonly up: boolean | undefined;
  /** Builds seen at it, with the time; the past ones are negative. */
  readonly builds: Sample[];
  readonly gauges: Map<string, number>;
  readonly checks: Map<string, Checked>;
}

/** What is known of a check that has something to say. */
interface Checked {
  level: number;
  passed: number | undefined;
  readonly ids: { readonly id: string; readonly level: number }[];
}

/** A label of a series itself: Prometheus renames it where the target has one of that name. */
export function ownLabel(labels: Labels, name: string): string | undefined {
  return labels[`exported_${name}`] ?? labels[name];
}

/** The instances of the answers, found by their labels. */
export class Targets {
  readonly #byAddress = new Map<string, Target[]>();

  constructor(up: readonly Sample[]) {
    for (const { labels, value } of up) this.#add(labels, value === 1);
  }

  /** The one that a series comes from. */
  of({ labels }: Sample): Target | undefined {
    const here = this.#byAddress.get(addressOf(labels)) ?? [];
    // Where several have one address, in two clusters perhaps, the others of their labels tell.
    return here.length === 1 ? here[0] : here.find((target) => hasAll(labels, target.labels));
  }

  /** The same; one that nothing scrapes any more is added. */
  ofOrGone(sample: Sample): Target {
    const { job = '', instance = '', ...rest } = sample.labels;
    return this.of(sample) ?? this.#add({ ...rest, job, instance }, undefined);
  }

  *all(): Generator<Target> {
    for (const here of this.#byAddress.values()) yield* here;
  }

  #add(labels: Labels, up: boolean | undefined): Target {
    const target: Target = { labels, up, builds: [], gauges: new Map(), checks: new Map() };
    const address = addressOf(labels);
    const here = this.#byAddress.get(address);
    if (here === undefined) this.#byAddress.set(address, [target]);
    else here.push(target);
    return target;
  }
}

function addressOf({ job = '', instance = '' }: Labels): string {
  return JSON.stringify([job, instance]);
}

function hasAll(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => name === '__name__' || labels[name] === value);
}
