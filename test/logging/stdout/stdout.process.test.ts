import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { chosen } from '../../whole.js';

// Bundled once: a loader of TypeScript in each of the processes would cost more than the tests.
const directory = await mkdtemp(join(tmpdir(), 'lifesign-stdout-'));
afterAll(() => rm(directory, { recursive: true }));
const child = join(directory, 'child.mjs');
await build({
  entryPoints: [fileURLToPath(new URL('stdout-child.ts', import.meta.url))],
  bundle: true,
  platform: 'node',
  format: 'esm',
  outfile: child,
});

interface Line {
  readonly Type: string;
  readonly Fields: { readonly n?: number; readonly dropped?: number };
}

/** Whether the lines are logged at once or, as summaries are, after the turn of the event loop. */
const moments = ['now', 'after the turn'] as const;
type Moment = (typeof moments)[number];

function start(
  scenario: string,
  amount = 0,
  when: Moment = 'now',
): ChildProcess & { stdout: Readable; told: Readable } {
  const started = spawn(process.execPath, [child, scenario, String(amount), when], {
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  });
  return Object.assign(started, { stdout: started.stdout as Readable, told: started.stdio[3] as Readable });
}

const parse = (output: string): Line[] =>
  output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

const lastTold = (told: string): Record<string, number> => JSON.parse(told.trim().split('\n').at(-1) ?? '{}');

/** Numbers 0, 1, 2 … in order: none lost, none twice. */
const numbers = (lines: readonly Line[]) => lines.map(({ Fields }) => Fields.n);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe.each(moments)('every line that was logged %s is on standard output', (when) => {
  const signalled = [
    // The documented price: the lines of the last turn, and there are 20 in each.
    ['signal, default handling', [null, 'SIGTERM'], 20],
    ['signal, a handler that raises it again', [null, 'SIGTERM'], 21],
    ['signal, a handler that exits', [0, null], 0],
  ] as const;
  for (const [scenario, exit, lost] of chosen(
    signalled,
    'signal, default handling',
    'signal, a handler that exits',
  )) {
    const but = lost === 0 ? '' : ', but for those of the last turn';
    it(`${scenario}${but}`, { timeout: 30_000 }, async () => {
      for (const delay of [0, 13]) {
        const running = start(scenario, 0, when);
        const [output, told, ended] = [text(running.stdout), text(running.told), once(running, 'exit')];
        await once(running.stdout, 'data');
        await new Promise((resolve) => setTimeout(resolve, delay));
        running.kill('SIGTERM');
        expect(await ended).toEqual(exit);
        const { logged = 0 } = lastTold(await told);
        const seen = numbers(parse(await output));
        expect(seen).toEqual(upTo(seen.length));
        expect(seen.length).toBeGreaterThan(0);
        expect(logged - seen.length).toBeLessThanOrEqual(lost);
      }
    });
  }

  const endings = [
    ['process.exit', 0],
    ['the end', 0],
    ['uncaught exception', 1],
  ] as const;
  for (const [scenario, code] of chosen(endings, 'process.exit', 'uncaught exception')) {
    it(`${scenario}, with far more than a pipe holds`, { timeout: 30_000 }, async () => {
      const running = spawn(process.execPath, [child, scenario, '20000', when], {
        stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
      });
      const [output, ended] = [text(running.stdout as Readable), once(running, 'exit')];
      expect(await ended).toEqual([code, null]);
      expect(numbers(parse(await output))).toEqual(upTo(20_000));
    });
  }
});

describe('whatever standard output is', () => {
  it('through a pipe of the shell as well as through a socket', { timeout: 30_000 }, () => {
    const command = `"${process.execPath}" "${child}" process.exit 20000 3>/dev/null | (sleep 0.3; cat)`;
    const output = execFileSync('/bin/sh', ['-c', command], { maxBuffer: 1e8, encoding: 'utf8' });
    expect(numbers(parse(output))).toEqual(upTo(20_000));
  });
});

describe('a reader that stops', () => {
  it(
    'neither blocks nor fills the memory; what was dropped is counted in one line',
    {
      timeout: 60_000,
    },
    async () => {
      const running = start('flood', 1000);
      running.stdout.pause();
      // It gets to its end although nobody reads: nothing blocks.
      const [answer] = (await once(running.told, 'data')) as [Buffer];
      const { logged = 0, grown = 0 } = lastTold(String(answer));
      expect(logged).toBe(100_001);
      // 100 000 lines are 220 MB; 8 MiB may wait, and the garbage collector takes its time.
      expect(grown).toBeLessThan(110e6);

      const output = text(running.stdout);
      running.stdin?.write('go on\n');
      await once(running, 'exit');
      const lines = parse(await output);
      const reports = lines.filter(({ Type }) => Type === 'health');
      expect(reports).toHaveLength(1);
      const kept = lines.length - 1;
      // In order and none twice; what came while the buffer was full is missing.
      const seen = numbers(lines.slice(0, kept)).map(Number);
      expect(seen.slice(0, 2000)).toEqual(upTo(2000));
      expect(seen.every((n, index) => index === 0 || n > (seen[index - 1] ?? 0))).toBe(true);
      expect(kept + (reports[0]?.Fields.dropped ?? 0)).toBe(logged);
    },
  );

  it('does not keep the process from its end', { timeout: 60_000 }, async () => {
    const running = start('process.exit', 20_000);
    running.stdout.pause();
    expect(await once(running, 'exit')).toEqual([0, null]);
    running.stdout.destroy();
  });

  it('and is gone (EPIPE): the process goes on, quietly', { timeout: 30_000 }, async () => {
    const running = start('closed');
    await once(running.stdout, 'data');
    running.stdout.destroy();
    await once(running.stdout, 'close');
    const [told, ended] = [text(running.told), once(running, 'exit')];
    running.stdin?.write('go on\n');
    expect(await ended).toEqual([0, null]);
    const { logged, idleMs } = lastTold(await told);
    expect(logged).toBe(5001);
    // Nothing is tried again and again: of 300 ms idle a retry loop would burn all.
    expect(idleMs).toBeLessThan(150);
  });
});
