import type { Sample } from './prometheus.js';

type Labels = Readonly<Record<string, string>>;

/** The facts of one instance, collected while the answers are read. */
export interface Target {
  readonly labels: Labels;
  /** Whether the last scrape succeeded; undefined if nothing scrapes it. */
  readonly up: boolean | undefined;
  /** Builds seen at it, with the time; the past ones are negative. */
  readonly builds: Sample[];
  readonly gauges: Map<string, number>;
  readonly checks: Map<string, Checked>;
}

/** The facts of a check that has messages. */
interface Checked {
  level: number;
  passed: number | undefined;
  readonly ids: { readonly id: string; readonly level: number }[];
}

/** A label of a series itself: Prometheus renames it if the target has one of that name. */
export function ownLabel(labels: Labels, name: string): string | undefined {
  return labels[`exported_${name}`] ?? labels[name];
}

/** Those with the same address, for example in two clusters; their other labels distinguish them. */
interface Place {
  readonly targets: Target[];
  /** By the values of their labels, for each set of names that some of them have. */
  readonly byLabels: Map<
    string,
    { readonly names: readonly string[]; readonly byValues: Map<string, Target> }
  >;
}

/** The instances of the answers, found by their labels. */
export class Targets {
  readonly #places = new Map<string, Place>();

  constructor(up: readonly Sample[]) {
    for (const { labels, value } of up) this.#add(labels, value === 1);
  }

  /** The one that a series comes from: it has all labels of its target, and more. */
  of({ labels }: Sample): Target | undefined {
    const place = this.#places.get(addressOf(labels));
    if (place === undefined || place.targets.length === 1) return place?.targets[0];
    for (const { names, byValues } of place.byLabels.values()) {
      const found = byValues.get(valuesOf(labels, names));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The same; one that nothing scrapes any more is added. */
  ofOrGone(sample: Sample): Target {
    const { job = '', instance = '', ...rest } = sample.labels;
    return this.of(sample) ?? this.#add({ ...rest, job, instance }, undefined);
  }

  *all(): Generator<Target> {
    for (const { targets } of this.#places.values()) yield* targets;
  }

  #add(labels: Labels, up: boolean | undefined): Target {
    const target: Target = { labels, up, builds: [], gauges: new Map(), checks: new Map() };
    const address = addressOf(labels);
    const place: Place = this.#places.get(address) ?? { targets: [], byLabels: new Map() };
    this.#places.set(address, place);
    place.targets.push(target);
    const names = Object.keys(labels)
      .filter((name) => name !== '__name__')
      .toSorted();
    const key = JSON.stringify(names);
    const same = place.byLabels.get(key) ?? { names, byValues: new Map<string, Target>() };
    place.byLabels.set(key, same);
    const values = valuesOf(labels, names);
    if (!same.byValues.has(values)) same.byValues.set(values, target);
    return target;
  }
}

/** A label that is missing differs from one that is empty. */
function valuesOf(labels: Labels, names: readonly string[]): string {
  return JSON.stringify(names.map((name) => labels[name] ?? null));
}

function addressOf({ job = '', instance = '' }: Labels): string {
  return JSON.stringify([job, instance]);
}
