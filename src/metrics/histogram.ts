import type { Emit } from './family.js';
import type { LabelSet } from './labels.js';

/** Counts by size. An observation is a few additions. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #labels: LabelSet;
  /** By the number of the bound; the last counts values above all bounds. Not cumulative. */
  readonly #counts: number[] = [];
  #sum = 0;

  constructor(bounds: readonly number[], labels: LabelSet) {
    this.#bounds = bounds;
    this.#labels = labels;
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (value > (bounds[index] ?? Infinity)) index += 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  collect(emit: Emit): void {
    let count = 0;
    for (const [index, bound] of [...this.#bounds, Infinity].entries()) {
      count += this.#counts[index] ?? 0;
      emit(count, this.#labels, '_bucket', bound);
    }
    emit(this.#sum, this.#labels, '_sum');
    emit(count, this.#labels, '_count');
  }
}
