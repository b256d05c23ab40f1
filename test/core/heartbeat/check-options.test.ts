import { describe, expect, it } from 'vitest';
import type { HealthOptions } from 'lifesign';
import { Critical, Info } from 'lifesign/checks';
import { makeHealth } from '../make-health.js';

describe('maxLevel', () => {
  const bad = {
    says: () => [new Critical('c', { id: 'a.C' })],
    throws: () => {
      throw new Error('t');
    },
    rejects: () => Promise.reject(new Error('r')),
    hangs: () => new Promise<never>(() => {}),
    junk: () => 5 as never,
  };

  it.each(Object.entries(bad))('holds when a check %s', async (name, check) => {
    const { health, records, report } = makeHealth({ timeout: 10, failureLogInterval: 0 });
    health.check(name, check, { maxLevel: 'info' });
    for (let beat = 0; beat < 2; beat += 1) {
      const { status, body } = await report();
      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: 'info',
        checks: { [name]: 'info' },
        details: { [name]: { status: 'info', level: 20 } },
      });
    }
    // The message itself stays: why it is so is never lost.
    expect(records.length).toBe(2);
    expect(records.every(({ level }) => level === 20)).toBe(true);
  });

  it('does not raise what is lower', async () => {
    const { health } = makeHealth();
    health.check('low', () => [new Info('i', { id: 'a.I' })], { maxLevel: 'error' });
    expect((await health.heartbeat()).status).toBe('info');
  });

  it('leaves the others as they are', async () => {
    const { health, report } = makeHealth();
    health.check('capped', bad.throws, { maxLevel: 'warning' });
    health.check('free', bad.says);
    expect((await report()).body).toMatchObject({
      status: 'critical',
      checks: { capped: 'warning', free: 'critical' },
    });
  });
});

describe('checkOptions', () => {
  it('reaches a check by its name; what is given at the check itself wins', async () => {
    const { health } = makeHealth({
      checkOptions: { redis: { maxLevel: 'info' }, db: { maxLevel: 'info' }, ['__proto__']: {} },
    });
    health.check('redis', () => Promise.reject(new Error('r')));
    health.check('db', () => Promise.reject(new Error('d')), { maxLevel: 'warning' });
    health.check('constructor', () => []);
    expect((await health.heartbeat()).results.map(({ status }) => status)).toEqual(['info', 'warning', 'ok']);
  });

  it.each([
    [['redis'], 'it must be an object that maps check names to options'],
    [{ redis: 5 }, 'it must be an object that maps check names to options'],
    [null, 'it must be an object that maps check names to options'],
    [{ redis: { maxLevl: 'info' } }, 'Unknown option "maxLevl" of check redis'],
    [{ redis: { maxLevel: 'bad' } }, 'Option maxLevel of check redis is "bad"'],
  ])('%j is refused', (checkOptions, message) => {
    expect(() => makeHealth({ checkOptions } as unknown as HealthOptions)).toThrow(message);
  });
});

describe('checkOptions with the name of no check, where nothing starts', () => {
  const sentence =
    'LIFESIGN_CHECK_UNKNOWN: Option checkOptions has options for "serach", but no check has that name. ' +
    'Did you mean "search"? Registered checks: search.';

  it('is in the log at the first heartbeat, once, and the answer stands', async () => {
    const { health, records, report } = makeHealth({ checkOptions: { serach: { timeout: 5 } } });
    health.check('search', () => []);
    expect(records).toEqual([]);
    expect((await report()).status).toBe(200);
    expect((await health.heartbeat()).status).toBe('ok');
    expect(records.map(({ logger, level, msg }) => ({ logger, level, msg }))).toEqual([
      { logger: 'health', level: 40, msg: sentence },
    ]);
    expect(records[0]?.error).toMatchObject({ code: 'LIFESIGN_CHECK_UNKNOWN' });
  });

  it('right names say nothing', async () => {
    const { health, records } = makeHealth({ checkOptions: { search: { timeout: 50 } } });
    health.check('search', () => []);
    await health.heartbeat();
    expect(records).toEqual([]);
  });
});
