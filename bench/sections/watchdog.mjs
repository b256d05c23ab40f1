// The watchdog beside the event loop: what it costs in memory, how fast it answers and names a block, and what others name.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { median } from '../measure.mjs';
import { table } from '../report.ts';
import { judge } from '../verdict.ts';

const bench = join(import.meta.dirname, '..');
const names = {
  loop: 'spinLoop',
  regexp: 'matchRegexp',
  json: 'parseJson',
  fifo: 'readFifo',
  pbkdf2: 'deriveKey',
  gc: 'collect',
};
const shown = {
  loop: 'a loop',
  regexp: 'a regular expression',
  json: '`JSON.parse` of a large text',
  fifo: '`readFileSync` of a FIFO',
  pbkdf2: '`pbkdf2Sync`',
  gc: 'a long garbage collection',
};
const tools = { lifesign: 'lifesign', sentry: '@sentry/node', blockedAt: 'blocked-at' };

/** What each tool says of each block. */
async function compareNaming() {
  const rows = [];
  for (const [kind, name] of Object.entries(names)) {
    const said = {};
    for (const tool of Object.keys(tools)) said[tool] = named(kind, name, await toldBy(tool, kind));
    rows.push({ kind, said });
  }
  return { tools, rows };
}

function named(kind, name, text) {
  if (text === undefined) return 'nothing';
  if (kind === 'gc' && text.startsWith('garbage collection')) return 'garbage collection';
  const frame = text.split('\n').find((line) => line.includes('blocks.mjs'));
  if (frame?.includes(name)) return 'the function';
  if (text.includes('in native code')) return 'native code, no function';
  if (text.includes(name)) return 'the function, below others';
  if (/blocked\.mjs|Timeout/.test(text)) return 'the timer that called it';
  return text.trim() === '' ? 'a block, no function' : 'another function';
}

/** What a tool names as the cause of a block; undefined where it says nothing. */
function toldBy(tool, kind) {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      ['--max-old-space-size=6000', join(bench, 'blocked.mjs'), tool, kind],
      {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      },
    );
    child.once('message', (text) => {
      resolve(text);
      child.kill('SIGKILL');
    });
    child.once('exit', () => resolve(undefined));
  });
}

/** Milliseconds to an answer while the main thread spins, milliseconds to the stack, megabytes of the thread. */
async function measureWatchdog({ rounds }) {
  const memory = [];
  for (let round = 0; round < 5; round += 1)
    memory.push((await run(['memory', 'on'])) - (await run(['memory', 'off'])));
  const { answers, stacks } = await run(['spin', String(rounds)]);
  const sorted = answers.toSorted((a, b) => a - b);
  return {
    megabytes: median(memory) / 2 ** 20,
    p50: median(answers),
    p99: sorted[Math.ceil(sorted.length * 0.99) - 1],
    stack: median(stacks),
    slowest: Math.max(...stacks),
  };
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', join(bench, 'watchdog-subject.mjs'), ...args], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    let answer;
    child.once('message', (message) => (answer = message));
    child.once('exit', () => (answer === undefined ? reject(new Error('no answer')) : resolve(answer)));
  });
}

/** What the watchdog needs, and what it and others name. */
export async function watchdogSection(effort) {
  const { megabytes, p50, p99, stack, slowest } = await measureWatchdog(effort);
  const { tools, rows } = await compareNaming();
  const figures = [
    ['memory of the thread', `${megabytes.toFixed(0)} MB`, ''],
    ['answer while the main thread spins, median', `${p50.toFixed(1)} ms`, ''],
    ['the same, p99', `${p99.toFixed(1)} ms`, '≤ 50 ms'],
    ['from noticing a block to its stack', `${stack.toFixed(0)} ms (at most ${slowest.toFixed(0)} ms)`, ''],
  ];
  const naming = rows.map(({ kind, said }) => [shown[kind], ...Object.keys(tools).map((tool) => said[tool])]);
  const says = `watchdog: p99 of the answers is ${p99.toFixed(1)} ms, budget 50`;
  return {
    name: 'watchdog',
    text: `### watchdog\n\n${table(['', 'measured', 'budget'], figures)}\n\nWhat is named for each of six blocks of 2.5 s:\n\n${table(['', ...Object.values(tools)], naming)}`,
    ...judge([{ value: p99, budget: 50, says }]),
  };
}
