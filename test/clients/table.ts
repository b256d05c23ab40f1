import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { faults } from './faults.js';

/** A line of the table. */
export interface Line {
  readonly name: string;
  readonly version: string;
  /** What was said of each fault, in their order. */
  readonly said: readonly string[];
  /** New connections in 50 heartbeats, and statements of each. */
  readonly connections: number;
  readonly statements: number;
}

const page = new URL('../../contributing/clients.md', import.meta.url);
const results = new URL('./results.json', import.meta.url);

/** The lines of the last run. */
export const lastLines = (): readonly Line[] =>
  existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : [];

/** The table as contributing/clients.md has it. */
export function tableOf(lines: readonly Line[]): string {
  const cells = (all: readonly (string | number)[]) => `| ${all.join(' | ')} |`;
  const heads = ['set-up', 'version', ...faults, 'connections', 'statements'];
  const rows = lines.map(({ name, version, said, connections, statements }) =>
    cells([name, version, ...said.map((each) => each || '–'), connections, statements]),
  );
  return [cells(heads), cells(heads.map(() => '---')), ...rows].join('\n');
}

export const docs = (): string => readFileSync(page, 'utf8');

const region = /(?<=\n)\| set-up \|[^]*?\n(?=\n)/;

/** Writes what a run saw; set-ups that were not in it keep their lines. `order` has the names of all. */
export function publish(seen: readonly Line[], order: readonly string[]): void {
  const known = new Map([...lastLines(), ...seen].map((line) => [line.name, line]));
  const lines = order.flatMap((name) => known.get(name) ?? []);
  writeFileSync(results, `${JSON.stringify(lines, null, 2)}\n`);
  const text = docs();
  if (!region.test(text)) throw new Error('contributing/clients.md has no table of set-ups');
  writeFileSync(
    page,
    text.replace(region, () => `${tableOf(lines)}\n`),
  );
}
