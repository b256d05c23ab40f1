/** Takes one sample; `suffix` and `le` are of histograms. */
export type Emit = (value: number, labels: LabelSet, suffix?: string, le?: number) => void;

/** Series of one name. */
export interface Family {
  /** The name of its samples; counters end with `_total`. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Name and unit of its instrument in OpenTelemetry, which has neither unit nor `total` in names. */
  readonly otel: readonly [name: string, unit: string];
  /** Emits the current samples. */
  readonly collect: (emit: Emit) => void;
}

/** The labels of a series, as text and as data. The text is created once: each scrape writes it. */
export class LabelSet {
  readonly pairs: Readonly<Record<string, string>>;
  /** As the format writes them: `check="storage",status="ok"`. */
  readonly text: string;

  constructor(pairs: Readonly<Record<string, string>>) {
    this.pairs = pairs;
    const texts = Object.entries(pairs).map(([name, value]) => `${name}="${escape(value, /[\\"\n]/g)}"`);
    this.text = texts.join(',');
  }
}

export const noLabels = new LabelSet({});

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

/** The text format of Prometheus. */
export const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Families as text. One without samples is left out. */
export function write(families: readonly Family[]): string {
  let body = '';
  for (const { name, help, type, collect } of families) {
    let samples = '';
    collect((value, { text }, suffix = '', le) => {
      const bound = le === undefined ? '' : `${text === '' ? '' : ','}le="${formatNumber(le)}"`;
      const labels = text === '' && bound === '' ? '' : `{${text}${bound}}`;
      samples += `${name}${suffix}${labels} ${formatNumber(value)}\n`;
    });
    if (samples === '') continue;
    body += `# HELP ${name} ${escape(help, /[\\\n]/g)}\n# TYPE ${name} ${type}\n${samples}`;
  }
  return body;
}

export function formatNumber(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

function escape(text: string, special: RegExp): string {
  return text.replace(special, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}
