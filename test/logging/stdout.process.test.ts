import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compiled } from '../compiled/index.js';

const child = compiled(new URL('stdout-child.ts', import.meta.url));
const env = { ...process.env, NODE_ENV: 'production', NODE: process.execPath, CHILD: child };

interface Running extends ChildProcess {
  readonly stdout: Readable;
  readonly ended: Promise<unknown[]>;
  /** The last that it said on descriptor 3. */
  readonly told: Promise<Record<string, unknown>>;
}

function start(...args: (string | number)[]): Running {
  const stdio = ['ignore', 'pipe', 'ignore', 'pipe', 'ipc'] as const;
  const running = spawn(process.execPath, [child, ...args.map(String)], { env, stdio: [...stdio] });
  onTestFinished(() => void running.kill('SIGKILL'));
  const told = text(running.stdio[3] as Readable).then((all) =>
    JSON.parse(all.trim().split('\n').at(-1) || '{}'),
  );
  return Object.assign(running as ChildProcess & { stdout: Readable }, {
    ended: once(running, 'exit'),
    told,
  });
}

const parse = (output: string) =>
  output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { Type?: string; Fields: Record<string, number> });
const numbers = (output: string) => parse(output).map(({ Fields }) => Fields['n']);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('a process ends as it would without a log, and the lines of its last turn are there', () => {
  it.each([
    ['the end', 0, 0],
    ['process.exit', 3, 0],
    ['process.exit in a listener for exit', 5, 1],
    ['an uncaught exception', 1, 0],
    ['an unhandled rejection', 1, 0],
    ['a signal with a handler that exits', 6, 0],
  ])('%s', async (scenario, code, more) => {
    const running = start(scenario, 150);
    if (scenario === 'the end') running.disconnect();
    const output = await text(running.stdout);
    expect(await running.ended).toEqual([code, null]);
    expect(numbers(output)).toEqual(upTo(150 + more));
  });

  it('a signal that nothing handles loses those lines only', async () => {
    const running = start('a signal that nothing handles', 150);
    expect(numbers(await text(running.stdout))).toEqual(upTo(150));
    expect(await running.ended).toEqual([null, 'SIGTERM']);
  });

  it('the only listener is one for exit, however many lines there are', async () => {
    const running = start('the end', 150);
    running.disconnect();
    expect(await running.told).toEqual({ logged: 150, listeners: '0,0,0,1' });
  });
});

it('lines and output of the application are in the order of their turns, each whole', async () => {
  const running = start('beside the application');
  running.disconnect();
  const [ours, application] = [[] as number[], [] as (number | undefined)[][]];
  for (const { Type, Fields } of parse(await text(running.stdout))) {
    if (Type === 'ours') ours.push(Fields['n'] ?? -1);
    else application.push([Fields['written'], Fields['after'], ours.length]);
  }
  expect(ours).toEqual(upTo(100));
  // The application writes at once, our line of that turn comes at its end.
  expect(application).toEqual(upTo(100).map((n) => [n, n, n]));
});

describe('a reader', () => {
  it('that is slow gets every line of a process that comes to its end by itself', async () => {
    const running = start('the end', 20_000);
    running.disconnect();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(numbers(await text(running.stdout))).toEqual(upTo(20_000));
  });

  it('that takes nothing neither stops the process nor fills its memory; one line counts what was dropped', async () => {
    const running = start('a reader that takes nothing');
    const [first] = (await once(running.stdio[3] as Readable, 'data')) as [Buffer];
    expect((JSON.parse(String(first)) as { waiting: number }).waiting).toBeLessThan(9 * 1024 * 1024);
    running.send('go on');
    const lines = parse(await text(running.stdout));
    const reports = lines.filter(({ Type }) => Type === 'health');
    expect(reports).toHaveLength(1);
    const { dropped = 0 } = reports[0]?.Fields ?? {};
    expect(dropped).toBeGreaterThan(0);
    // The first lines are there, and the one after.
    const seen = lines.filter(({ Type }) => Type === 'ours').map(({ Fields }) => Fields['n']);
    expect(seen).toEqual([...upTo(3000 - dropped), 3000]);
  });

  it('that takes nothing does not hold up process.exit', async () => {
    const running = start('process.exit', 20_000);
    running.stdout.pause();
    expect(await running.ended).toEqual([3, null]);
  });

  it('that leaves ends neither the process nor its work', async () => {
    const running = start('a reader that leaves');
    running.stdout.destroy();
    await once(running.stdout, 'close');
    running.send('go on');
    expect(await running.told).toEqual({ logged: 400 });
    expect(await running.ended).toEqual([0, null]);
  });
});

it('the main thread has the lines of a worker thread', async () => {
  const running = start('a worker thread');
  running.disconnect();
  expect(await running.told).toMatchObject({ captured: 3000 });
});

it.each([
  ['a file', '"$NODE" "$CHILD" "the end" 500 3>/dev/null > "$F"; cat "$F"', 500],
  ['a terminal', `script -qec '"$NODE" "$CHILD" "the end" 500 3>/dev/null' /dev/null | tr -d '\\r'`, 500],
  ['closed', '"$NODE" "$CHILD" "the end" 500 3>/dev/null >&- || echo failed', 0],
])('whatever standard output is: %s', (name, command, count) => {
  const file = `${child}.${name.length}.txt`;
  const output = execFileSync('/bin/sh', ['-c', command], { env: { ...env, F: file }, encoding: 'utf8' });
  expect(numbers(output)).toEqual(upTo(count));
});

describe('standard error', () => {
  const run = (to: string, variable: string) =>
    spawnSync(process.execPath, [child, 'the end', '150', ...(to === '' ? [] : [to])], {
      env: { ...env, HEALTH_LOG_TO: variable },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });

  it.each([
    ['the variable', '', 'stderr'],
    ['the option', 'stderr', ''],
    ['the option, against the variable', 'stderr', 'stdout'],
  ])('%s sends every line there, and none to standard output', (_by, to, variable) => {
    const { stdout, stderr } = run(to, variable);
    expect([stdout, numbers(stderr)]).toEqual(['', upTo(150)]);
  });

  it('a wrong variable is refused and says what it may be', () => {
    const { stderr, status } = run('', 'stdlog');
    expect(status).toBe(1);
    expect(stderr).toContain(`HEALTH_LOG_TO is "stdlog"; it must be 'stdout' or 'stderr'`);
  });
});
