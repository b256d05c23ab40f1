import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { until } from '../core/waiting.js';
import { sharedService } from '../services/index.js';
import { fakeClock } from './faketime.js';
import { startForTest } from './fault-process.js';
import { tell } from './observe.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

describe('the disk for logs is full', () => {
  it('heartbeats are answered and the process lives', async () => {
    const full = openSync('/dev/full', 'w');
    ends.push(() => closeSync(full));
    const app = await startForTest({ checks: ['throws', 'fine'], options: { summary: true } }, full);
    for (let beat = 0; beat < 100; beat += 1) {
      const { status, ids } = await app.beat();
      expect([status, ids]).toEqual([500, ['health.E011']]);
    }
    expect(app.isAlive()).toBe(true);
    tell('disk full', await app.beat());
    expect(await app.stop()).toBe(0);
    expect(app.errors()).not.toContain('Error');
  });

  const directory = mkdtempSync(join(tmpdir(), 'lifesign-full-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory]).status === 0;
  afterAll(() => {
    if (spawnSync('umount', [directory]).status === 0 || !mounted) rmSync(directory, { recursive: true });
  });

  it.skipIf(!mounted)('lines wait for room, and none is lost, torn or glued to another', async () => {
    const ballast = join(directory, 'ballast');
    const file = join(directory, 'log');
    for (let round = 0; round < 3; round += 1) {
      rmSync(file, { force: true });
      // A page or two are left, and a line ends where it ends.
      writeFileSync(ballast, Buffer.alloc((48 + 4 * round) * 1024));
      const log = openSync(file, 'w');
      const app = await startForTest({ checks: ['throws'], options: { summary: true } }, log);
      closeSync(log);
      const beats = 25;
      for (let beat = 0; beat < beats; beat += 1) expect((await app.beat()).status).toBe(500);
      await until(() => !readFileSync(file, 'utf8').endsWith('\n'));
      rmSync(ballast);
      const summaries = () => readFileSync(file, 'utf8').split('"request.summary"').length - 1;
      await until(() => summaries() === beats);
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
      expect(await app.stop()).toBe(0);
    }
  });
});

describe.skipIf(sharedService('redis') === undefined)('the event loop is blocked', () => {
  it('longer than the timeout: a healthy dependency is not reported as failed', async () => {
    const redis = sharedService('redis');
    const app = await startForTest({ options: { timeout: 400 }, ...(redis !== undefined && { redis }) });
    await until(async () => (await app.beat()).status === 200);
    for (let round = 0; round < 3; round += 1)
      expect(await app.get('/block')).toEqual({ status: 'ok', messages: [] });
    tell('event loop blocked for 1500 ms, timeout 400 ms', await app.beat());
    expect(await app.stop()).toBe(0);
  });
});

describe('the wall clock jumps', () => {
  it('deadlines, freshness and recovery go by the monotonic clock', async (context) => {
    const directory = mkdtempSync(join(tmpdir(), 'lifesign-clock-'));
    ends.push(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'offset');
    writeFileSync(file, '+0');
    const clock = await fakeClock(file);
    // Under CI nothing is skipped.
    if (process.env['CI'] !== undefined) expect(clock).toBeDefined();
    if (clock === undefined) context.skip('faketime is not to be had');
    const options = { timeout: 300, checkOptions: { fine: { cacheFor: 200 } } };
    const app = await startForTest({ checks: ['hangs', 'fine'], options }, 'ignore', clock);
    expect((await app.beat()).ids).toEqual(['health.E012']);

    for (const [offset, days] of [
      ['+2d', 2],
      ['-2d', -2],
    ] as const) {
      writeFileSync(file, offset);
      const before = await app.stats();
      expect(Math.round((before.now - Date.now()) / 86_400_000)).toBe(days);
      const said = await app.beat();
      expect([said.status, said.ids]).toEqual([500, ['health.E013']]);
      expect(said.ms).toBeLessThan(15_000);
      // A result does not live two days longer because the clock was set back.
      await until(async () => {
        await app.beat();
        return ((await app.stats()).runs['fine'] ?? 0) >= (before.runs['fine'] ?? 0) + 2;
      });
      tell(`wall clock ${offset}`, said);
    }
    expect(await app.stop()).toBe(0);
  });
});
