import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../core/waiting.js';
import { whole } from '../../whole.js';
import {
  type Line,
  parse,
  type Reading,
  startOnFile,
  startOnPipe,
  startOnSocket,
  workshop,
} from './stdout-reader.js';
import { type Plan, random } from './stdout-writers-child.js';

const { directory, program, close } = await workshop(new URL('stdout-writers-child.ts', import.meta.url));
afterAll(close);

const fast: Reading = { bytes: () => 1 << 20, pause: () => 0 };

/** A reader that is now fast, now slow, now asleep. */
function moody(seed: number): Reading {
  const below = random(seed);
  return {
    bytes: () => 1 + below([10, 5000, 70_000][below(3)] ?? 1) * 4,
    pause: () => below([1, 5, 40][below(3)] ?? 1),
  };
}

const run = (plan: Plan) => startOnPipe(directory, [program, JSON.stringify(plan)]);

/** Numbers that go up: none twice, none late. */
const goesUp = (numbers: readonly number[]) =>
  numbers.every((n, index) => index === 0 || n > (numbers[index - 1] ?? 0));

/** Of a process nothing is lost or doubled: what is missing was counted. */
function expectAll(lines: readonly Line[], told: readonly Record<string, number>[]): void {
  const last = new Map(told.map((each) => [each['id'], each]));
  const dropped = lines.reduce((sum, { Fields }) => sum + (Fields.dropped ?? 0), 0);
  let missing = 0;
  for (const [id, { logged = 0, written = 0 }] of last) {
    const of = (type: string) =>
      lines.filter(({ Type, Fields }) => Type === type && Fields.id === id).map(({ Fields }) => Fields.n);
    expect(goesUp(of('ours'))).toBe(true);
    expect(of('application')).toEqual(Array.from({ length: written }, (_, n) => n));
    missing += logged - of('ours').length;
  }
  expect(missing).toBe(dropped);
}

const seeds = fc.integer({ min: 1, max: 1e9 });
const sample = <T>(arbitrary: fc.Arbitrary<T>, runs: number) =>
  fc.sample(arbitrary, whole ? runs : Math.ceil(runs / 3));

it('beside console.log, with lines of any length and a moody reader, no line is torn and none is lost', async () => {
  const plans = fc.record({
    seed: seeds,
    lines: fc.integer({ min: 1, max: 3000 }),
    padding: fc.constantFrom(10, 1000, 6000, 30_000),
    application: fc.integer({ min: 0, max: 9 }),
    aTurn: fc.integer({ min: 2, max: 60 }),
    processes: fc.constant(1),
    end: fc.constant('nothing left to do' as const),
  });
  for (const plan of sample(plans, 8)) {
    // As much as a reader of a few seconds gets through.
    const lines = Math.ceil(Math.min(plan.lines, 3e6 / plan.padding));
    const writer = run({ ...plan, lines });
    const output = await writer.read(moody(plan.seed));
    expect(await writer.ended, JSON.stringify(plan)).toEqual([0, null]);
    expectAll(parse(output), writer.told());
  }
});

it.each([
  ['pipe', startOnPipe],
  ['socket', startOnSocket],
])('several processes on one %s: no line up to 4096 bytes is torn, and none is lost', async (_, startOn) => {
  const plans = fc.record({
    seed: seeds,
    lines: fc.integer({ min: 1, max: 1500 }),
    padding: fc.constantFrom(10, 300, 900),
    application: fc.constant(0),
    aTurn: fc.integer({ min: 2, max: 100 }),
    processes: fc.integer({ min: 2, max: 4 }),
    end: fc.constantFrom('nothing left to do' as const, 'exit' as const),
  });
  for (const plan of sample(plans, 4)) {
    const writer = startOn(directory, [program, JSON.stringify(plan)]);
    const output = await writer.read(moody(plan.seed));
    await writer.ended;
    expectAll(parse(output), writer.told());
  }
});

it.each([
  ['SIGKILL', 'one process', 1],
  ['SIGKILL', 'several processes', 3],
  ['SIGTERM', 'one process', 1],
  ['SIGTERM', 'several processes', 3],
] as const)('%s at any moment, %s: every line is whole or absent', async (signal, _, processes) => {
  for (const seed of sample(seeds, 3)) {
    const below = random(seed);
    const writer = run({ seed, lines: 0, padding: 700, application: 0, aTurn: 50, processes, end: 'go on' });
    const reading = moody(seed);
    let isOver = false;
    await until(() => writer.told().length > 0);
    const enough = performance.now() + below(400);
    const before = await writer.read(reading, () => performance.now() > enough);
    if (processes === 1 || signal === 'SIGTERM') writer.child.kill(signal);
    else process.kill(-(writer.child.pid ?? 0), signal);
    void writer.ended.then(() => (isOver = true));
    const output = before + (await writer.read(fast));
    await until(() => isOver);
    const lines = parse(output);
    for (const id of new Set(lines.map(({ Fields }) => Fields.id))) {
      const numbers = lines.filter(({ Fields }) => Fields.id === id).map(({ Fields }) => Fields.n);
      expect(numbers).toEqual(numbers.map((_n, index) => index));
    }
  }
});

it('a line comes before what the application writes two turns later, and after what it wrote before', async () => {
  for (const seed of sample(seeds, 5)) {
    const writer = run({
      seed,
      // As many as a pipe holds, whether the reader has its turn or not.
      lines: 120,
      padding: 100,
      application: 5,
      aTurn: 1,
      processes: 1,
      end: 'nothing left to do',
    });
    const lines = parse(await writer.read(fast));
    let [ours, application] = [0, 0];
    for (const { Type, Fields } of lines) {
      // `after` is how many of the others were written before.
      expect(Fields.after, `seed ${seed}`).toBe(Type === 'ours' ? application : ours);
      if (Type === 'ours') ours += 1;
      else application += 1;
    }
    expect(ours + application).toBe(120);
  }
});

it('the end of a process with a moody reader: all lines of ours are there, each whole', async () => {
  for (const seed of sample(seeds, 2)) {
    for (const end of ['exit', 'throw'] as const) {
      const writer = run({ seed, lines: 800, padding: 1500, application: 0, aTurn: 90, processes: 1, end });
      const output = await writer.read(moody(seed));
      expect(await writer.ended).toEqual([end === 'exit' ? 0 : 1, null]);
      expectAll(parse(output), writer.told());
    }
  }
});

describe('a full disk', () => {
  const disk = join(directory, 'disk');
  let isMounted = false;
  beforeAll(() => {
    mkdirSync(disk);
    isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', disk]).status === 0;
  });
  afterAll(() => void spawnSync('umount', ['--lazy', disk]));
  beforeEach((context) => {
    if (process.env['CI'] !== undefined) expect(isMounted).toBe(true);
    if (!isMounted) context.skip('no right to mount');
  });

  it('lines of any length wait for room: none is lost, and none is torn', async () => {
    for (const seed of sample(seeds, 4)) {
      const below = random(seed);
      const ballast = join(disk, 'ballast');
      writeFileSync(ballast, Buffer.alloc(4096 * (460 + below(50))));
      const plan = { seed, lines: 300, padding: 2000, application: 0, aTurn: 20, processes: 1 };
      const writer = startOnFile(directory, join(disk, 'log'), [
        program,
        JSON.stringify({ ...plan, end: 'wait' } satisfies Plan),
      ]);
      // Until it is full, in the middle of a line or not, and a while longer.
      await until(() => writer.told().length > 0);
      rmSync(ballast);
      const lines = () => readFileSync(join(disk, 'log'), 'utf8');
      await until(() => lines().split('\n').length > 300);
      writer.child.kill('SIGTERM');
      await writer.ended;
      expectAll(parse(lines()), writer.told());
      rmSync(join(disk, 'log'));
    }
  });

  it('several processes: at most the lines that were cut are unreadable', async () => {
    for (const seed of sample(seeds, 4)) {
      const ballast = join(disk, 'ballast');
      writeFileSync(ballast, Buffer.alloc(4096 * 490));
      const plan = { seed, lines: 200, padding: 900, application: 0, aTurn: 20, processes: 3 };
      const writer = startOnFile(directory, join(disk, 'log'), [
        program,
        JSON.stringify({ ...plan, end: 'wait' } satisfies Plan),
      ]);
      await until(() => writer.told().length === 3);
      rmSync(ballast);
      const text = () => readFileSync(join(disk, 'log'), 'utf8');
      const ours = () => text().match(/"Type":"ours"/g)?.length ?? 0;
      const logged = writer.told().reduce((sum, told) => sum + (told['logged'] ?? 0), 0);
      // Of each process one line at most is given up.
      await until(() => ours() >= logged - 3);
      writer.child.kill('SIGTERM');
      await writer.ended;
      const torn = text()
        .split('\n')
        .filter((line) => line !== '' && !isJson(line));
      // Where a line was cut another process may write first, and the application's own is cut by Node.
      expect(torn.length, torn.join('\n')).toBeLessThanOrEqual(6);
      rmSync(join(disk, 'log'));
    }
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
