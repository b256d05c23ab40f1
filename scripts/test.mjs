// `npm test`: the sources are checked and built while what the tests need is installed; then the tests. Arguments are for vitest.
import { spawn } from 'node:child_process';
import { leftBehind, ticks } from './left-behind.mjs';

/** The same cases in all parts: test/whole.ts. */
const sample = String(Math.floor(Math.random() * 1_000_000));

const env = { SAMPLE: sample, ...process.env };
const installed = run(process.execPath, ['--import', 'tsx', 'test/services/install-all.ts'], { env });
const since = ticks();
const steps = [
  () => run('npm', ['run', '--silent', 'check']),
  () => run('npm', ['run', '--silent', 'build']),
  () => installed,
  tests,
  noneLeft,
];
for (const step of steps) {
  process.exitCode = await step();
  if (process.exitCode !== 0) break;
}

function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    // Parts of the tests that run side by side write lines: none redraws the terminal.
    child.stdout?.pipe(process.stdout, { end: false });
    child.stderr?.pipe(process.stderr, { end: false });
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** The parts of vitest.config.ts, each whatever becomes of the others; with arguments only what they name. */
async function tests() {
  const asked = process.argv.slice(2);
  if (asked.length > 0) return run('npx', ['vitest', 'run', ...asked]);
  const codes = await Promise.all([part('waiting'), part('computing')]);
  return Math.max(...codes, await part('faults'));
}

function part(name) {
  // Each part takes what has just been built: test/package/build.ts.
  const own = { ...env, PART: name, BUILT: 'true' };
  return run('npx', ['vitest', 'run'], { stdio: ['ignore', 'pipe', 'pipe'], env: own });
}

/** A test that leaves a process behind fails the run. */
async function noneLeft() {
  const left = await leftBehind(since);
  if (left.length > 0) console.error(`Tests have left processes behind:\n  ${left.join('\n  ')}`);
  return left.length > 0 ? 1 : 0;
}
