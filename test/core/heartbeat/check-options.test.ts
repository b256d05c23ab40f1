import { describe, expect, it } from 'vitest';
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

/** The option as it is read from its variable. */
function read(json: string) {
  process.env['HEALTH_CHECK_OPTIONS'] = json;
  try {
    return makeHealth().health.options.checkOptions;
  } finally {
    delete process.env['HEALTH_CHECK_OPTIONS'];
  }
}

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

  it('is read as JSON from HEALTH_CHECK_OPTIONS', () => {
    expect(read('{"redis":{"maxLevel":"info"}}')).toEqual({ redis: { maxLevel: 'info' } });
    for (const wrong of ['redis=info', '[]', '{"redis":5}', 'null']) {
      expect(() => read(wrong)).toThrow('it must be an object that maps check names to options');
    }
    expect(() => read('{"redis":{"maxLevl":"info"}}')).toThrow('Unknown option "maxLevl" of check redis');
    expect(() => read('{"redis":{"maxLevel":"bad"}}')).toThrow('Option maxLevel of check redis is "bad"');
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
