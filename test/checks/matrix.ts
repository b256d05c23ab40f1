import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** A client and the version of it that went through every scenario. */
export interface Row {
  readonly client: string;
  readonly version: string;
}

/** Holds the table under a heading of docs/checks.md against what was really exercised. */
export function expectTable(heading: string, seen: readonly Row[]): void {
  const page = readFileSync(new URL('../../docs/checks.md', import.meta.url), 'utf8');
  const section = page.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const rows = [...section.matchAll(/^\| ([^|]+?) +\| (\d[^|]*?) +\|/gm)].map(
    ([, client = '', version = '']) => ({
      client,
      version,
    }),
  );
  expect(rows).toEqual(seen);
}
