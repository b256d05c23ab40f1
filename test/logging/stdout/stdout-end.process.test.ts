import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../../core/waiting.js';
import { whole } from '../../whole.js';
import { parse, type Reading, startOnPipe, workshop } from './stdout-reader.js';

const { directory, program, close } = await workshop(new URL('stdout-end-child.ts', import.meta.url));
afterAll(close);

const fast: Reading = { bytes: () => 1 << 20, pause: () => 0 };
const start = (...args: (string | number)[]) => startOnPipe(directory, [program, ...args.map(String)]);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const numbers = (output: string) => parse(output).map(({ Fields }) => Fields.n);

describe('the way a process ends is what it is without a log, and every line is there', () => {
  const signals = whole ? ['SIGTERM', 'SIGINT', 'SIGHUP'] : ['SIGTERM'];
  const plain = [
    'process.exit',
    'process.exitCode',
    'throw',
    'rejection',
    'process.reallyExit after exit listeners',
  ];
  const raised = [
    'raise',
    'raise, handled once and raised again later',
    'raise, handled by who counts listeners',
    'raise, handled with an exit',
    'raise, emitted',
  ];
  const ends = [
    ...plain.map((end) => [end, '']),
    ...raised.flatMap((end) => signals.map((signal) => [end, signal])),
  ];
  it.each(ends)('%s %s', async (end = '', signal = '') => {
    const quiet = start(`quiet ${end}`, 0, signal);
    // A signal that ends the process leaves time for what a pipe holds.
    const amount = signal === '' ? 1371 : 57;
    const loud = start(end, amount, signal);
    const [output] = await Promise.all([loud.read(fast), quiet.read(fast)]);
    expect(await loud.ended).toEqual(await quiet.ended);
    const later = end === 'process.reallyExit after exit listeners' ? 1 : 0;
    expect(numbers(output)).toEqual(upTo(amount + later));
    // None for a signal, and one for the exit, however many lines there are.
    expect(loud.told()[0]).toEqual({ logged: amount, listeners: '0,0,0,1' });
  });

  it.each(signals)('after %s that the application handles, lines are written as before', async (signal) => {
    const writer = start('handled signal', 100, signal);
    const output = await writer.read(fast);
    expect(await writer.ended).toEqual([0, null]);
    expect(writer.told()).toEqual([{ handled: 5, waits: true, listeners: 1, logged: 106 }]);
    expect(numbers(output)).toEqual(upTo(106));
  });

  it('process 1 of a container outlives a signal that nobody listens to, as it does without a log', async (context) => {
    const mayUnshare = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;
    if (process.env['CI'] !== undefined) expect(mayUnshare).toBe(true);
    if (!mayUnshare) context.skip('no right to do so');
    const tellTo = join(directory, 'first.told');
    const told = openSync(tellTo, 'w');
    const args = ['--pid', '--fork', '--kill-child', process.execPath, program, 'stays alive'];
    const outer = spawn('unshare', args, { stdio: ['ignore', 'ignore', 'inherit', told] });
    closeSync(told);
    const lines = () => readFileSync(tellTo, 'utf8').split('\n').length;
    await until(() => lines() > 3);
    const inner = Number(readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim());
    for (let round = 0; round < 3; round += 1) {
      const before = lines();
      process.kill(inner, 'SIGTERM');
      await until(() => lines() > before + 3);
    }
    expect(outer.exitCode).toBeNull();
    outer.kill('SIGKILL');
  });
});

describe('a slow reader', () => {
  it('that takes a little now and then does not hold up the end for ever', async () => {
    const writer = start('process.exit', 10_000);
    let isOver = false;
    void writer.ended.then(() => (isOver = true));
    // A page each time: the writer gets on, and would need minutes.
    await writer.read({ bytes: () => 4096, pause: () => 300 }, () => isOver);
    expect(await writer.ended).toEqual([3, null]);
    writer.close();
  });

  it('that takes nothing: a handler exits with its code, however often the signal comes', async () => {
    const writer = start('exits on a signal', 10_000);
    await until(() => writer.told().length > 0);
    const again = setInterval(() => writer.child.kill('SIGTERM'), 50);
    expect(await writer.ended).toEqual([7, null]);
    clearInterval(again);
    writer.close();
  });

  it('that takes nothing: a signal that nothing handles ends the process', async () => {
    const writer = start('raise', 10_000, 'SIGINT');
    expect(await writer.ended).toEqual([null, 'SIGINT']);
    writer.close();
  });

  it('blocks no event loop, also after a sibling that ended has restored blocking mode: a pipe', async () => {
    const writer = start('sibling that ends', 500);
    // A pipe holds 200 of these lines.
    await until(() => writer.told().length > 20);
    writer.child.kill('SIGKILL');
    await writer.ended;
    writer.close();
  });

  it.each(['a socket', 'a terminal'])('the same with %s', async (kind) => {
    const tellTo = join(directory, kind);
    const told = openSync(tellTo, 'a');
    const command = [process.execPath, program, 'sibling that ends', '500'];
    // A terminal whose other end is open and never read.
    const onTerminal =
      'import os,pty,subprocess,sys,time\nm,s=pty.openpty()\nos.set_inheritable(3,True)\n' +
      'p=subprocess.Popen(sys.argv[1:],stdout=s,close_fds=False)\nsys.stdin.read()\np.kill()';
    const [file = '', ...args] = kind === 'a socket' ? command : ['python3', '-c', onTerminal, ...command];
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'ignore', told] });
    closeSync(told);
    child.stdout?.pause();
    await until(() => readFileSync(tellTo, 'utf8').split('\n').length > 20);
    child.stdin?.end();
    if (kind === 'a socket') child.kill('SIGKILL');
    child.stdout?.destroy();
    await once(child, 'exit');
  });
});

describe('somebody stands between a line and the descriptor', () => {
  it('and gets it: a replaced stream; a replaced console gets nothing', async () => {
    const writer = start('replaced');
    const output = await writer.read(fast);
    expect(await writer.ended).toEqual([0, null]);
    expect(writer.told()).toEqual([{ seen: 'write 1, write 2' }]);
    expect(numbers(output)).toEqual([0, 3, 4, 5, 6, 7]);
  });

  it('the main thread gets those of a worker thread', async () => {
    const writer = start('worker thread', 3000);
    expect(numbers(await writer.read(fast))).toEqual(upTo(3000));
    const captured = start('worker thread', 3000, 'captured');
    expect(await captured.read(fast)).toBe('');
    expect(captured.told()).toEqual([{ captured: 3000 }]);
  });
});

describe('whatever standard output is', () => {
  const shell = (command: string) =>
    execFileSync('/bin/sh', ['-c', command], {
      env: { ...process.env, NODE: process.execPath, PROGRAM: program, DIRECTORY: directory },
      encoding: 'utf8',
      maxBuffer: 1e8,
      timeout: 30_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  it('a file, a terminal, closed, or a reader that has enough', () => {
    expect(
      numbers(shell('"$NODE" "$PROGRAM" lines 5000 > "$DIRECTORY/file"; cat "$DIRECTORY/file"')),
    ).toEqual(upTo(5000));
    const terminal = shell(
      `script -qec 'HEALTH_LOG_FORMAT=json "$NODE" "$PROGRAM" lines 500' /dev/null`,
    ).replaceAll('\r', '');
    expect(numbers(terminal)).toEqual(upTo(500));
    expect(shell('"$NODE" "$PROGRAM" lines 500 >&-; echo $?')).toBe('0\n');
    const [first, code] = shell('("$NODE" "$PROGRAM" lines 50000; echo $? >&2) 2>&1 | head -1').split('\n');
    expect([numbers(`${first}\n`), code]).toEqual([[0], '']);
  });

  it('a file that may not grow: the process ends as it should, and only the last line is cut', () => {
    const file = shell(
      'ulimit -f 16; "$NODE" "$PROGRAM" process.exit 500 3>/dev/null > "$DIRECTORY/small"; echo $?; cat "$DIRECTORY/small"',
    );
    const [code, ...lines] = file.split('\n');
    expect(code).toBe('3');
    lines.pop();
    expect(lines.length).toBeGreaterThan(10);
    expect(numbers(`${lines.join('\n')}\n`)).toEqual(upTo(lines.length));
  });

  it('output of the application that waits for a line on a full disk does not keep the process alive', () => {
    const command = '"$NODE" "$PROGRAM" "lines, then the application" 500 > "$DIRECTORY/full"; echo $?';
    expect(shell(`ulimit -f 16; ${command}`)).toBe('0\n');
  });

  it('output of the application that waits for room in a full pipe does, as it would without our lines', () => {
    const command = '"$NODE" "$PROGRAM" "lines, then the application" 500 | (sleep 1; cat)';
    const output = shell(command).split('\n');
    expect(output).toContain('from the application');
    const lines = output.filter((line) => line !== 'from the application');
    expect(numbers(lines.join('\n'))).toEqual(upTo(500));
  });
});
