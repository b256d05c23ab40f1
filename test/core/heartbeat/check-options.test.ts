import { describe, expect, it } from 'vitest';
import { type CheckOptions, Critical, Info } from 'lifesign/checks';
import { engineOf } from '../../../src/core/health.js';
import { makeHealth, report } from '../make-health.js';

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
    const { health, records } = makeHealth({ timeout: 10, failureLogInterval: 0 });
    health.check(name, check, { maxLevel: 'info' });
    for (let beat = 0; beat < 2; beat += 1) {
      const { status, body } = await report(health);
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
    const { health } = makeHealth();
    health.check('capped', bad.throws, { maxLevel: 'warning' });
    health.check('free', bad.says);
    expect((await report(health)).body).toMatchObject({
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
    expect(() => read('{"redis":{"maxLevel":"bad"}}')).toThrow('Option maxLevel of check redis is "bad"');
  });
});

it.each([
  [{ timeout: 0 }, 'Option timeout of check c is 0; it must be an integer from 1'],
  [{ cacheFor: -1 }, 'Option cacheFor of check c is -1; it must be an integer from 0'],
  [{ maxLevel: 'ok' }, 'Option maxLevel of check c is "ok"; it must be one of debug, info, warning'],
  [
    { tiemout: 5 },
    'Unknown option "tiemout" of check c. Known options: timeout, cacheFor, every, maxLevel, scope, failureThreshold, successThreshold, restartAfter.',
  ],
])('%j is refused', (options, message) => {
  const { health } = makeHealth();
  expect(() => health.check('c', () => [], options as CheckOptions)).toThrow(message);
  expect(() => makeHealth({ checkOptions: { c: options as CheckOptions } })).toThrow(message);
});

describe('publicMessages', () => {
  it('false keeps every text out of the body and in the log', async () => {
    const { health, records } = makeHealth({ publicMessages: false });
    health.check('db', () => {
      throw new Error('relation "salaries" does not exist at 10.1.2.3');
    });
    health.check('own', () => [new Info('all of it is private', { id: 'a.I' })]);
    const { body } = await report(health);
    expect(body).toMatchObject({
      status: 'error',
      details: {
        db: { status: 'error', level: 40, messages: { 'health.E011': 'see the log' } },
        own: { messages: { 'a.I': 'see the log' } },
      },
    });
    expect(JSON.stringify(body)).not.toMatch(/salaries|10\.1|private/);
    expect(records.map(({ msg }) => msg)).toEqual([
      'health.E011: Check db threw Error: relation "salaries" does not exist at 10.1.2.3',
      'a.I: all of it is private',
    ]);
  });
});

describe('checkOptions with the name of no check, where nothing starts', () => {
  const sentence =
    'LIFESIGN_CHECK_UNKNOWN: Option checkOptions has options for "serach", but no check has that name. ' +
    'Did you mean "search"? Registered checks: search.';

  it('is in the log at the first heartbeat, once, and the answer stands', async () => {
    const { health, records } = makeHealth({ checkOptions: { serach: { timeout: 5 } } });
    health.check('search', () => []);
    expect(records).toEqual([]);
    expect((await report(health)).status).toBe(200);
    expect((await health.heartbeat()).status).toBe('ok');
    expect(records.map(({ logger, level, msg }) => ({ logger, level, msg }))).toEqual([
      { logger: 'health', level: 40, msg: sentence },
    ]);
    expect(records[0]?.error).toMatchObject({ code: 'LIFESIGN_CHECK_UNKNOWN' });
  });

  it('is said by the framework where one starts the application, and not again', async () => {
    const { health, records } = makeHealth({ checkOptions: { serach: { timeout: 5 } } });
    health.check('search', () => []);
    expect(() => engineOf(health).requireKnownChecks()).toThrow('Did you mean "search"?');
    await health.heartbeat();
    expect(records).toEqual([]);
  });

  it('right names say nothing', async () => {
    const { health, records } = makeHealth({ checkOptions: { search: { timeout: 50 } } });
    health.check('search', () => []);
    await health.heartbeat();
    expect(records).toEqual([]);
  });
});
