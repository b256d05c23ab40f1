import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { checks } from 'lifesign/express';
import { say } from '../say.js';

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
      expect.stringContaining(`Error health.E039: Cannot determine the last run of cleanup: ${text}`),
    ]);
  });

  it('says that nobody answers', async () => {
    vi.useRealTimers();
    const check = checks.schedule({ every: 1000, lastRun: () => new Promise<never>(() => {}) });
    expect(await say(check, 1000)).toEqual([
      'Error health.E039: Cannot determine the last run: lastRun() did not answer in time',
    ]);
  });

  it.each([
    [{ lastRun: zero }, 'Option every of checks.schedule is undefined; it must be a text such as "30s"'],
    [{ every: 0, lastRun: zero }, 'Option every of checks.schedule is 0'],
    [{ every: 1000 }, 'Option lastRun of checks.schedule is undefined; it must be a function'],
    [
      { every: 1000, lastRun: new Date() },
      'Option lastRun of checks.schedule is an instance of Date; it must be a function',
    ],
    [{ every: 1000, lastRun: zero, grace: -1 }, 'Option grace of checks.schedule is -1'],
    [{ every: 1000, lastRun: zero, evry: 5 }, 'Unknown option "evry" of checks.schedule.'],
  ])('refuses %j at once', (given, text) => {
    expect(() => checks.schedule(given as never)).toThrow(text);
  });
});
