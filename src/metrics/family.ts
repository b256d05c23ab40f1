import type { LabelSet } from './labels.js';

/** Takes one sample; `suffix` and `le` are of histograms. */
export type Emit = (value: number, labels: LabelSet, suffix?: string, le?: number) => void;

/** How `prom-client` aggregates the values of cluster processes. */
type Aggregator = 'sum' | 'max' | 'min' | 'average';

/** Series of one name. */
export interface Family {
  /** The name of its samples: counters end with `_total`, build facts with `_info`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info';
  readonly unit?: 'seconds' | 'bytes';
  readonly aggregator: Aggregator;
  /** Hands out the samples there are now. */
  collect(emit: Emit): void;
}
