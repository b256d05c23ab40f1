import { CronJob } from 'cron';
import { Cron } from 'croner';
import { schedule } from 'node-cron';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Check, CheckMessage, ScheduledJob } from 'lifesign/checks';
import { quietController } from '../../../src/core/heartbeat/abort.js';
import { checks } from 'lifesign/express';

async function say(check: Check, time = Infinity): Promise<readonly string[]> {
  const { signal } = time === Infinity ? new AbortController() : quietController(performance.now() + time);
  const outcome = await check({ signal, name: 'tested' });
  const messages: readonly CheckMessage[] = Array.isArray(outcome) ? outcome : [];
  return messages.map(({ constructor, id, text }) => `${constructor.name} ${id}: ${text}`);
}

const minute = 60_000;

function zero(): number {
  return 0;
}

describe('checks.schedule', () => {
  beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-15T12:00:00.500Z') }));
  afterEach(() => void vi.useRealTimers());

  it('is overdue after its time and its grace, and first runs have their time', async () => {
    let lastRun: Date | undefined;
    const check = checks.schedule({
      name: 'cleanup',
      every: 10 * minute,
      grace: minute,
      lastRun: () => lastRun,
    });
    expect(await say(check)).toEqual([]);
    vi.advanceTimersByTime(11 * minute);
    expect(await say(check)).toEqual([]);
    vi.advanceTimersByTime(minute);
    expect(await say(check)).toEqual([
      'Error health.E039: A run of cleanup is overdue by 2 min: it has never run',
    ]);
    lastRun = new Date();
    expect(await say(check)).toEqual([]);
    vi.advanceTimersByTime(12 * minute);
    expect(await say(check)).toEqual([
      'Error health.E039: A run of cleanup is overdue by 2 min: the last run was 12 min ago',
    ]);
    // A clock that is set an hour ahead, or a day back, makes nothing late.
    lastRun = new Date();
    expect(await say(check)).toEqual([]);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await say(check)).toEqual([]);
    vi.setSystemTime(Date.now() - 86_400_000);
    expect(await say(check)).toEqual([]);
  });

  const run = vi.fn();
  const schedulers: Readonly<Record<string, () => ScheduledJob & { stop(): unknown; start?(): unknown }>> = {
    cron: () => CronJob.from({ cronTime: '0 * * * * *', onTick: run, start: true }),
    'node-cron': () => schedule('0 * * * * *', run),
    croner: () => new Cron('0 * * * * *', run),
  };

  it.each(Object.entries(schedulers))('asks %s for its last and its next run', async (_name, make) => {
    run.mockClear();
    const job = make();
    const check = checks.schedule({ name: 'cleanup', job, grace: 5000 });
    expect(await say(check)).toEqual([]);
    for (let second = 0; second < 200; second += 10) {
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await say(check)).toEqual([]);
    }
    expect(run.mock.calls.length).toBeGreaterThanOrEqual(3);
    await job.stop();
    expect(await say(check)).toEqual(['Info health.I009: The schedule of cleanup is stopped']);
  });

  it.each([undefined, minute])(
    'a croner job that is paused is not overdue, nor when it goes on (every: %s)',
    async (every) => {
      const job = new Cron('0 * * * * *', run);
      const check = checks.schedule({
        name: 'cleanup',
        job,
        grace: 5000,
        ...(every !== undefined && { every }),
      });
      expect(await say(check)).toEqual([]);
      job.pause();
      for (let step = 0; step < 3; step += 1) {
        await vi.advanceTimersByTimeAsync(5 * minute);
        expect(await say(check)).toEqual(['Info health.I009: The schedule of cleanup is stopped']);
      }
      job.resume();
      expect(await say(check)).toEqual([]);
      await vi.advanceTimersByTimeAsync(minute);
      expect(await say(check)).toEqual([]);
      job.stop();
    },
  );

  it.each(Object.entries(schedulers))('tells that %s does not run', async (_name, make) => {
    // Timers that never fire, as those of a process that is stuck.
    vi.stubGlobal('setTimeout', () => ({ unref() {}, ref() {} }));
    const job = make();
    vi.unstubAllGlobals();
    const check = checks.schedule({ name: 'cleanup', job, grace: 5000 });
    expect(await say(check)).toEqual([]);
    vi.advanceTimersByTime(64_000);
    expect(await say(check)).toEqual([]);
    vi.advanceTimersByTime(11_000);
    expect(await say(check)).toEqual([
      'Error health.E039: A run of cleanup is overdue by 16 s: it has never run',
    ]);
    await job.stop();
  });

  it('asks jobs of other versions as they are: dates of their own, other words, no next run', async () => {
    const cron = (members: object) =>
      checks.schedule({
        job: { lastDate: () => null, nextDate: () => null, fireOnTick() {}, ...members } as never,
      });
    for (const wrapped of [(date: Date) => date, (date: Date) => ({ toJSDate: () => date })]) {
      const due = wrapped(new Date(Date.now() + minute));
      const check = cron({ nextDate: () => due, running: true });
      expect(await say(check)).toEqual([]);
      // Without another grace it is a minute.
      vi.advanceTimersByTime(2 * minute);
      expect(await say(check)).toEqual([]);
      vi.advanceTimersByTime(1000);
      expect(await say(check)).toEqual(['Error health.E039: A run is overdue by 61 s: it has never run']);
    }
    const idle = cron({ running: true });
    expect(await say(idle)).toEqual([]);
    vi.advanceTimersByTime(100 * minute);
    expect(await say(idle)).toEqual([]);
    expect(await say(cron({ running: false }))).toEqual(['Info health.I009: The schedule is stopped']);
    expect(await say(cron({ running: true, isActive: false }))).toEqual([
      'Info health.I009: The schedule is stopped',
    ]);
  });

  it.each([
    [
      () => 'yesterday',
      'lastRun() returned "yesterday"; it must be a valid Date, milliseconds since 1970, undefined or null',
    ],
    [() => new Date('x'), 'lastRun() returned an instance of Date; it must be'],
    [() => Promise.reject(new Error('no table')), 'lastRun() failed: Error: no table'],
  ])('says why it cannot tell: %s', async (lastRun, text) => {
    const check = checks.schedule({ name: 'cleanup', every: 1000, lastRun: lastRun as never });
    expect(await say(check)).toEqual([
      expect.stringContaining(`Error health.E040: Cannot determine the last run of cleanup: ${text}`),
    ]);
  });

  it('says that nobody answers', async () => {
    vi.useRealTimers();
    const check = checks.schedule({ every: 1000, lastRun: () => new Promise<never>(() => {}) });
    expect(await say(check, 60)).toEqual([
      'Error health.E040: Cannot determine the last run: lastRun() did not answer in time',
    ]);
  });

  it.each([
    [{ lastRun: zero }, 'Option every of checks.schedule is undefined; it must be an integer from'],
    [{ every: 0, lastRun: zero }, 'Option every of checks.schedule is 0'],
    [{ every: 1000 }, 'Option lastRun of checks.schedule is undefined; it must be a function'],
    [
      { every: 1000, lastRun: new Date() },
      'Option lastRun of checks.schedule is an instance of Date; it must be a function',
    ],
    [{ every: 1000, lastRun: zero, grace: -1 }, 'Option grace of checks.schedule is -1'],
    [{ every: 1000, lastRun: zero, evry: 5 }, 'Unknown option "evry" of checks.schedule.'],
    [{ job: setTimeout }, 'Option job of checks.schedule is the function setTimeout'],
    [{ job: {} }, 'Supported clients: cron CronJob, node-cron task, croner Cron'],
  ])('refuses %j at once', (given, text) => {
    expect(() => checks.schedule(given as never)).toThrow(text);
  });
});
