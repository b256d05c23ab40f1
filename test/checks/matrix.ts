import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { versionOf } from './clients/client.js';

/** A client and the version of it that went through every scenario. */
export interface Row {
  readonly client: string;
  readonly version: string;
}

/** Holds the table under a heading of contributing/clients.md against what was really exercised. */
export function expectTable(heading: string, seen: readonly Row[]): void {
  const page = readFileSync(new URL('../../contributing/clients.md', import.meta.url), 'utf8');
  const section = page.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const rows = [...section.matchAll(/^\| ([^|]+?) +\| (\d[^|]*?) +\|/gm)].map(
    ([, client = '', version = '']) => ({
      client,
      version,
    }),
  );
  expect(rows).toEqual(seen);
}

/** A client or library that goes through the scenarios. */
interface Listed {
  readonly name: string;
  readonly package: string;
}

const rowOf = (each: Listed): Row => ({ client: each.name, version: versionOf(each.package) });

/** The table lists all of them, and those that were taken have passed. */
export function expectPassed(
  heading: string,
  all: readonly Listed[],
  taken: readonly Listed[],
  seen: readonly Row[],
): void {
  expectTable(heading, all.map(rowOf));
  expect(seen).toEqual(taken.map(rowOf));
}
