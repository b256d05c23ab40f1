import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readConstants } from '../../bench/scale/constants.js';
import { pageFile, tableIn } from '../../bench/scale/page.js';
import { tablesOf } from '../../bench/scale/tables.js';

test(
  'contributing/scale.md has the tables that the simulator makes of the measured constants',
  { timeout: 120_000 },
  async () => {
    const page = await readFile(pageFile, 'utf8');
    const tables = Object.entries(tablesOf(readConstants()));
    expect(tables.map(([name]) => [name, tableIn(page, name)])).toEqual(tables);
  },
);
