// `npm test`: the sources are checked and built while what the tests need is installed; then the tests. Arguments are for vitest.
import { spawn } from 'node:child_process';
import { leftBehind, ticks } from './left-behind.mjs';

const run = (command, ...args) =>
  new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit' });
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });

const installed = run(process.execPath, '--import', 'tsx', 'test/services/install-all.ts');
const since = ticks();
const steps = [
  () => run('npm', 'run', '--silent', 'check'),
  () => run('npm', 'run', '--silent', 'build'),
  () => installed,
  () => run('npx', 'vitest', 'run', ...process.argv.slice(2)),
  noneLeft,
];
for (const step of steps) {
  process.exitCode = await step();
  if (process.exitCode !== 0) break;
}

/** A test that leaves a process behind fails the run. */
async function noneLeft() {
  const left = await leftBehind(since);
  if (left.length > 0) console.error(`Tests have left processes behind:\n  ${left.join('\n  ')}`);
  return left.length > 0 ? 1 : 0;
}
