// `npm test`: the sources are checked and built while what the tests need is installed; then the tests. Arguments are for vitest.
import { spawn } from 'node:child_process';
import { leftBehind, ticks } from './left-behind.mjs';

/** Projects of vitest.config.ts that wait more than they compute run beside those that compute, so that no core is idle; the faults are alone. */
const waiting = 'auto cli container otel package processes services sqlite watchdog';
const computing = 'browser frameworks hosts isolated nest11 unit';

/** What failed parts have said of their failures: said again at the end, after all that the others print. */
const failures = [];

const installed = run(process.execPath, ['--import', 'tsx', 'test/services/install-all.ts']);
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
for (const text of failures) process.stderr.write(text);

function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    // Parts of the tests that run side by side write lines: none redraws the terminal.
    child.stdout?.pipe(process.stdout, { end: false });
    child.stderr?.pipe(process.stderr, { end: false });
    const said = [];
    child.stderr?.on('data', (text) => said.push(text));
    child.on('error', () => resolve(1));
    child.on('close', (code) => {
      if (code !== 0) failures.push(...said);
      resolve(code ?? 1);
    });
  });
}

/** Each part whatever becomes of the others; with arguments only what they name. */
async function tests() {
  const asked = process.argv.slice(2);
  if (asked.length > 0) return run('npx', ['vitest', 'run', ...asked]);
  const codes = await Promise.all([part(waiting, 4), part(computing, 2)]);
  return Math.max(...codes, await part('faults', 3));
}

function part(projects, workers) {
  const named = projects.split(' ').flatMap((name) => ['--project', name]);
  // Each part takes what has just been built: test/package/build.ts.
  const env = { ...process.env, BUILT: 'true' };
  const options = { stdio: ['ignore', 'pipe', 'pipe'], env };
  return run('npx', ['vitest', 'run', `--maxWorkers=${workers}`, ...named], options);
}

/** A test that leaves a process behind fails the run. */
async function noneLeft() {
  const left = await leftBehind(since);
  if (left.length > 0) console.error(`Tests have left processes behind:\n  ${left.join('\n  ')}`);
  return left.length > 0 ? 1 : 0;
}
