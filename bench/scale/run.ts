// Simulates fleets and prints the tables of contributing/scale.md: node --import tsx bench/scale/run.ts [--write]
import { readConstants } from './constants.js';
import { writeTables } from './page.js';
import { tablesOf } from './tables.js';

const tables = tablesOf(readConstants());
for (const [name, table] of Object.entries(tables)) console.log(`${name}\n\n${table}\n`);
if (process.argv.includes('--write')) writeTables(tables);
