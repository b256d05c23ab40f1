import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { tableIn, writeTables } from '../../bench/scale/page.js';
import { table } from '../../bench/scale/tables.js';
import { type Figures, incidents } from './list.js';

export const page: string = join(import.meta.dirname, '../../docs/incidents.md');

export const columns = [
  'incident',
  'set-up',
  'noticed after',
  'requests lost',
  'restarts',
  'recovered unaided',
  'what it said',
] as const;

/** The rows of the page, without those of its head. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  const lines = (tableIn(text, 'incidents') ?? '').split('\n').slice(2);
  return lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** What identifies each row, in the order of the page. */
export const keys: readonly (readonly [string, string])[] = incidents.flatMap(({ title, setUps }) =>
  setUps.map((setUp) => [title, setUp] as const),
);

const cellsOf = ({ noticed, lost, sent, restarts, recovered, said }: Figures) => [
  noticed,
  `${lost} of ${sent}`,
  String(restarts),
  recovered,
  said,
];

/** Writes one row; the others stay as they are. */
export function publish(title: string, setUp: string, figures: Figures): void {
  const key = (cells: readonly string[]) => cells.slice(0, 2).join();
  const known = new Map(rowsOf(readFileSync(page, 'utf8')).map((cells) => [key(cells), cells]));
  const row = [title, setUp, ...cellsOf(figures)];
  console.log(`| ${row.join(' | ')} |`);
  known.set(key(row), row);
  const rows = keys.flatMap((each) => {
    const cells = known.get(key(each));
    return cells === undefined ? [] : [cells];
  });
  writeTables({ incidents: table(columns, rows) }, page);
}

/** Says when and on what all of them were measured. */
export function publishDate(): void {
  const day = new Date().toISOString().slice(0, 10);
  const measured = `Measured on ${day} with Node ${process.versions.node} on ${availableParallelism()} cores.`;
  writeTables({ measured }, page);
}
