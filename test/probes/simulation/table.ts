import { readFileSync, writeFileSync } from 'node:fs';
import { mostInMinute } from './invariants.js';
import type { Seen } from './run.js';

const page = new URL('../../../contributing/scale.md', import.meta.url);
const marks = /(<!-- verdicts -->\n\n)[^]*?(\n\n<!-- \/verdicts -->)/;

const rates = ['opinions', 'asked', 'answered', 'reached'] as const;

/** What the table needs of a run. */
export interface Row {
  readonly instances: number;
  readonly lefts: number;
  readonly restarts: number;
  readonly backAfter?: number;
  readonly out: Seen['out'];
  /** The most of an instance in a minute. */
  readonly most: Readonly<Record<(typeof rates)[number], number>>;
}

export function rowOf({ schedule, fleet, out, backAfter, restarts, lefts }: Seen): Row {
  const most = (name: (typeof rates)[number]) =>
    Math.max(...fleet.slots.map((slot) => mostInMinute(slot[name], slot.starts)));
  return {
    instances: schedule.instances,
    lefts: lefts.length,
    restarts: restarts.length,
    ...(backAfter !== undefined && { backAfter }),
    // Alone, so that the time is that of this trouble.
    out: schedule.faults.length === 1 && schedule.loads.length === 0 ? out : [],
    most: {
      opinions: most('opinions'),
      asked: most('asked'),
      answered: most('answered'),
      reached: most('reached'),
    },
  };
}

/** What the documents say of the verdicts, from runs. */
export class Table {
  readonly #out = new Map<string, number[]>();
  #schedules = 0;
  #instances = 0;
  #largest = 0;
  readonly #most = { opinions: 0, asked: 0, answered: 0, reached: 0 };
  readonly #back: number[] = [];
  #restarts = 0;
  #lefts = 0;

  add({ instances, out, backAfter, restarts, lefts, most }: Row): void {
    this.#schedules += 1;
    this.#instances += instances;
    this.#largest = Math.max(this.#largest, instances);
    this.#restarts += restarts;
    this.#lefts += lefts;
    if (backAfter !== undefined) this.#back.push(backAfter);
    for (const { kind, after } of out) {
      const times = this.#out.get(kind) ?? [];
      this.#out.set(kind, times);
      times.push(after);
    }
    for (const name of rates) this.#most[name] = Math.max(this.#most[name], most[name]);
  }

  text(): string {
    const rows: readonly (readonly [string, string])[] = [
      ['schedules, instances, largest fleet', `${this.#schedules}, ${this.#instances}, ${this.#largest}`],
      ['instances that left, processes that were restarted', `${this.#lefts}, ${this.#restarts}`],
      ...['leak', 'dead', 'partition', 'slow path'].map(
        (kind) => [`${titles[kind]}: out after, median and most`, spread(this.#out.get(kind))] as const,
      ),
      ['everybody back after the last fault, median and most', spread(this.#back)],
      ['second opinions of an instance in a minute, most', `${this.#most.opinions}`],
      ['questions of an instance to its peers in a minute, most', `${this.#most.asked}`],
      ['questions that a peer answered in a minute, most', `${this.#most.answered}`],
      ['connections that a peer opened for them in a minute, most', `${this.#most.reached}`],
    ];
    return [
      '| seen | value |',
      '| --- | --- |',
      ...rows.map(([name, value]) => `| ${name} | ${value} |`),
    ].join('\n');
  }

  write(): void {
    const text = readFileSync(page, 'utf8');
    writeFileSync(
      page,
      text.replace(marks, (_all, before: string, after: string) => before + this.text() + after),
    );
  }
}

const titles: Readonly<Record<string, string>> = {
  leak: 'leaked pool',
  dead: 'dead connections',
  partition: 'no way to the database, with peers',
  'slow path': 'a slow way to the database, with peers',
};

function spread(times: readonly number[] | undefined): string {
  if (times === undefined || times.length === 0) return 'none';
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? 0) / 1000);
  return `${at(0.5)} s, ${at(1)} s`;
}
