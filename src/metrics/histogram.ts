import type { Emit } from './family.js';
import type { LabelSet } from './labels.js';

/** Counts by size. An observation is a few additions and allocates nothing. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #labels: LabelSet;
  /** One more than there are bounds: what is beyond the last of them. Not cumulative. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[], labels: LabelSet) {
    this.#bounds = bounds;
    this.#labels = labels;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? Infinity)) index += 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  collect(emit: Emit): void {
    let count = 0;
    this.#counts.forEach((found, index) => {
      count += found;
      emit(count, this.#labels, '_bucket', this.#bounds[index] ?? Infinity);
    });
    emit(this.#sum, this.#labels, '_sum');
    emit(count, this.#labels, '_count');
  }
}
