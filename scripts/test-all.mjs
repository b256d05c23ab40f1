// Runs the checks and every test once, one suite after the other, unattended, and ends with a table: `npm run test:all`.
// `npm run test:all -- test:auto test:site` runs only these, `-- --list` prints which there are. What each printed is in .tmp/test-all.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** npm starts it in the clone. */
const root = process.cwd();
const logs = join(root, '.tmp/test-all');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** What `test:whole` has as well, and one that takes hours: these are run only if they are named. */
const left = new Set(['test', 'test:unit', 'test:guest', 'test:mutation']);
const known = Object.keys(scripts).filter((name) => /^check$|^test(?::|$)/.test(name) && name !== 'test:all');
/** Minutes after which a suite is ended, on a machine that is busy with it only; those that are not named get half an hour. */
const minutesFor = {
  test: 45,
  'test:whole': 120,
  'test:attack': 60,
  'test:clients': 60,
  'test:guest': 60,
  'test:mutation': 720,
  'test:probes': 90,
};
const limitOf = (name) => minutesFor[name] ?? 30;

const asked = process.argv.slice(2).filter((name) => name !== '--list');
const unknown = asked.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`There is no suite ${unknown.join(', ')}. There are: ${known.join(', ')}`);
  process.exit(2);
}

const suites = asked.length > 0 ? asked : known.filter((each) => !left.has(each));
if (process.argv.includes('--list')) {
  for (const name of suites) console.log(`${name}: ${limitOf(name)} minutes at most`);
  process.exit(0);
}

/** What tests generate is another in each run: test/seed.ts. */
const SEED = process.env.SEED ?? String(Math.floor(Math.random() * 2 ** 31));
console.log(`SEED=${SEED}`);
mkdirSync(logs, { recursive: true });
const rows = [];
for (const name of suites) {
  console.log(`${new Date().toISOString().slice(11, 19)} ${name}`);
  const log = join(logs, `${name.replace(':', '-')}.log`);
  const since = performance.now();
  const code = await run(name, log);
  const minutes = ((performance.now() - since) / 60_000).toFixed(1);
  const result = code === 0 ? 'passed' : code === undefined ? 'TIMED OUT' : 'FAILED';
  rows.push({ suite: name, result, minutes, said: lastWord(log) });
}
console.table(rows);
process.exitCode = rows.every(({ result }) => result === 'passed') ? 0 : 1;

/** The exit code of a suite; undefined if it took too long and was ended. */
function run(name, log) {
  return new Promise((resolve) => {
    // A group of its own: what it has started ends with it.
    const options = { cwd: root, env: { ...process.env, SEED, CI: 'true' }, detached: true };
    const child = spawn('npm', ['run', '--silent', name], options);
    let late = false;
    const timer = setTimeout(
      () => {
        late = true;
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      },
      limitOf(name) * 60_000,
    );
    const file = createWriteStream(log);
    for (const stream of [child.stdout, child.stderr]) stream.pipe(file, { end: false });
    child.on('close', (code) => {
      clearTimeout(timer);
      file.end(() => resolve(late ? undefined : (code ?? 1)));
    });
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
