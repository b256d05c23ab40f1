import type { LabelSet } from './labels.js';

/** Takes one sample; `suffix` and `le` are of histograms. */
export type Emit = (value: number, labels: LabelSet, suffix?: string, le?: number) => void;

/** How `prom-client` puts together what the processes of a cluster say. */
type Aggregator = 'sum' | 'max' | 'min' | 'average';

/** Series of one name. */
export interface Family {
  /** As its samples are called: counters end with `_total`, what is known of a build with `_info`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info';
  readonly unit?: 'seconds' | 'bytes';
  readonly aggregator: Aggregator;
  /** Hands out the samples there are now. */
  collect(emit: Emit): void;
}
