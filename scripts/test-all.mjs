// Runs every suite of package.json one after the other, unattended, and ends with a table: `npm run test:all`.
// `npm run test:all -- test:auto test:site` runs these alone. What each printed is in .tmp/test-all.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const root = join(import.meta.dirname, '..');
const logs = join(root, '.tmp/test-all');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** A part of `npm test`, this one, and one that takes hours: it is run only if it is named. */
const left = new Set(['test:unit', 'test:all', 'test:mutation']);
const known = Object.keys(scripts).filter((name) => /^test(?::|$)/.test(name) && name !== 'test:all');
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}. There are: ${known.join(', ')}`);
  process.exit(2);
}

mkdirSync(logs, { recursive: true });
const rows = [];
for (const name of asked.length > 0 ? asked : known.filter((each) => !left.has(each))) {
  console.log(`${new Date().toISOString().slice(11, 19)} ${name}`);
  const log = join(logs, `${name.replace(':', '-')}.log`);
  const since = performance.now();
  const code = await run(name, log);
  const minutes = ((performance.now() - since) / 60_000).toFixed(1);
  rows.push({ suite: name, result: code === 0 ? 'passed' : 'FAILED', minutes, said: lastWord(log) });
}
console.table(rows);
process.exitCode = rows.every(({ result }) => result === 'passed') ? 0 : 1;

function run(name, log) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', name], { cwd: root, env: { ...process.env, CI: 'true' } });
    const file = createWriteStream(log);
    for (const stream of [child.stdout, child.stderr]) stream.pipe(file, { end: false });
    child.on('close', (code) => file.end(() => resolve(code ?? 1)));
  });
}

/** The line of a log that says how many tests passed, or else its last one. */
function lastWord(log) {
  const lines = stripVTControlCharacters(readFileSync(log, 'utf8'))
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return (lines.findLast((line) => /^Tests\s/.test(line)) ?? lines.at(-1) ?? '').slice(0, 100);
}
