import { describe, expect, test } from 'vitest';
import type { CheckContext } from 'lifesign/checks';
import { engineOf } from '../../../src/core/health.js';
import { checks } from 'lifesign';
import { makeHealth, report } from '../make-health.js';

/** Calls a decorator as a compiler would, for a method of `owner`. */
function decorate(
  decorator: (method: never, context: never) => unknown,
  owner: Record<string, unknown>,
  name: string,
  kind = 'method',
): void {
  const initializers: ((this: unknown) => void)[] = [];
  const context = { kind, name, addInitializer: (f: (this: unknown) => void) => initializers.push(f) };
  Reflect.apply(decorator, undefined, [owner[name], context]);
  for (const initializer of initializers) initializer.call(owner);
}

describe('health.check', () => {
  test('takes a named function and returns it', async () => {
    const { health } = makeHealth();
    function storageReachable() {
      return [new checks.Info('i', { id: 'a.I' })];
    }
    expect(health.check(storageReachable)).toBe(storageReachable);
    expect((await report(health)).body).toMatchObject({ checks: { storageReachable: 'info' } });
  });

  test('takes a name and a function and returns the function', async () => {
    const { health } = makeHealth();
    const check = async () => [];
    expect(health.check('my storage', check)).toBe(check);
    expect((await report(health)).body).toMatchObject({ checks: { 'my storage': 'ok' } });
  });

  test('refuses an anonymous function and says what to write', () => {
    const { health } = makeHealth();
    expect(() => health.check(() => [])).toThrow(expect.objectContaining({ code: 'LIFESIGN_CHECK_NAME' }));
    expect(() => health.check('', () => [])).toThrow("health.check('storage', () => …)");
  });

  test('refuses a name used twice, whichever way it was given', () => {
    const { health } = makeHealth();
    health.check('storage', () => []);
    expect(() => health.check(function storage() {})).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_CHECK_DUPLICATE' }),
    );
  });

  test('refuses what is no function', () => {
    const { health } = makeHealth();
    expect(() => Reflect.apply(health.check, health, [{}])).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_CHECK_FUNCTION' }),
    );
  });

  test.each([0, -1, 1.5, '5', Number.NaN, 2 ** 31])('refuses the timeout %j', (timeout) => {
    const { health } = makeHealth();
    expect(() => Reflect.apply(health.check, health, ['storage', () => [], { timeout }])).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }),
    );
  });

  test('a timeout of its own wins over that of the Health', async () => {
    const { health } = makeHealth({ timeout: 60_000 });
    health.check('hung', () => new Promise(() => {}), { timeout: 20 });
    expect((await report(health)).body).toMatchObject({
      details: { hung: { messages: { 'health.E012': 'Check hung did not answer within 20 ms' } } },
    });
  });
});

describe('health.check with a name and nothing to run', () => {
  test.each([[['storage']], [['storage', {}]], [['storage', { timeout: 5 }]]])(
    'is an Error in the report: %j',
    async (args) => {
      const { health } = makeHealth();
      Reflect.apply(health.check, health, args);
      await Promise.resolve();
      const text = 'A check must be a function that returns check messages; got undefined.';
      expect((await report(health)).body).toMatchObject({
        details: { storage: { messages: { 'health.E011': `Check storage threw LifesignError: ${text}` } } },
      });
    },
  );

  test('is nothing where the name has a check by then', async () => {
    const { health } = makeHealth();
    Reflect.apply(health.check, health, ['storage']);
    health.check('storage', () => []);
    await Promise.resolve();
    expect((await report(health)).status).toBe(200);
  });
});

describe('health.check as a decorator', () => {
  test('registers a method under its name, bound to its instance', async () => {
    const { health } = makeHealth();
    const service = {
      answer: 'from the instance',
      storage() {
        return [new checks.Info(this.answer, { id: 'a.I' })];
      },
    };
    decorate(health.check, service, 'storage');
    expect((await report(health)).body).toMatchObject({
      details: { storage: { messages: { 'a.I': 'from the instance' } } },
    });
  });

  test('takes a name and options', async () => {
    const { health } = makeHealth();
    const service = { storage: () => new Promise<void>(() => {}) };
    decorate(health.check('disk', { timeout: 10 }), service, 'storage');
    expect((await report(health)).body).toMatchObject({ checks: { disk: 'error' } });
  });

  test('refuses what is no method', () => {
    const { health } = makeHealth();
    expect(() => decorate(health.check, { storage: () => [] }, 'storage', 'field')).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_DECORATOR' }),
    );
  });
});

describe('health.versionCallback', () => {
  test('returns the callback, and works as a decorator', async () => {
    const { health } = makeHealth({ versionPath: '/srv/acme' });
    const callback = () => ({ commit: 'first' });
    expect(health.versionCallback(callback)).toBe(callback);
    const service = { commit: 'second', version: (path: string) => ({ path }) };
    decorate(health.versionCallback, service, 'version');
    expect((await engineOf(health).handle('GET', '/__version__', undefined))?.body).toBe(
      '{"path":"/srv/acme"}',
    );
  });

  test('refuses what is no function', () => {
    const { health } = makeHealth();
    expect(() => Reflect.apply(health.versionCallback, health, ['1.2.3'])).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_VERSION_CALLBACK' }),
    );
  });
});

test('a heartbeat can be asked for without a request', async () => {
  const { health, records } = makeHealth();
  health.check('storage', () => [new checks.Warning('Slow', { id: 'a.W' })]);
  const heartbeat = await health.heartbeat();
  expect(heartbeat.status).toBe('warning');
  expect(heartbeat.failed).toBe(true);
  expect(heartbeat.results.map(({ name, level }) => [name, level])).toEqual([['storage', 30]]);
  expect(records.map(({ msg, fields }) => [msg, fields])).toEqual([['a.W: Slow', { check: 'storage' }]]);
});

test('a logger that throws breaks no heartbeat', async () => {
  const logger = {
    log() {
      throw new Error('disk full');
    },
  };
  const { health } = makeHealth({}, logger);
  health.check('storage', () => [new checks.Info('i', { id: 'a.I' })]);
  expect((await report(health)).status).toBe(200);
});

describe('what a check is given', () => {
  test('is plain and frozen, can be spread, and shows nothing of the engine', async () => {
    const { health } = makeHealth();
    let given: object = {};
    let spread: { signal?: AbortSignal } = {};
    health.check('storage', (context) => {
      given = context;
      spread = { ...context };
    });
    await health.heartbeat();
    expect(Object.getPrototypeOf(given)).toBe(Object.prototype);
    expect(Reflect.ownKeys(given)).toEqual(['name', 'signal']);
    expect(Object.isFrozen(given)).toBe(true);
    expect(spread).toEqual({ name: 'storage', signal: expect.any(AbortSignal) });
  });

  test('has one signal, which fires when the time is up', async () => {
    const { health } = makeHealth();
    const signals: AbortSignal[] = [];
    health.check(
      'storage',
      ({ ...context }) => {
        signals.push(context.signal);
        return new Promise<void>(() => {});
      },
      { timeout: 10 },
    );
    await health.heartbeat();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test('is never shared by two runs under way, nor given again once the check has asked for its signal', async () => {
    const { health } = makeHealth();
    const given: CheckContext[] = [];
    const ends: (() => void)[] = [];
    health.check('asks', (context) => {
      expect(given.map((each) => each.signal)).not.toContain(context.signal);
      given.push(context);
    });
    const underWay = new Set<CheckContext>();
    health.check('waits', async (context) => {
      expect(underWay).not.toContain(context);
      underWay.add(context);
      await new Promise<void>((resolve) => ends.push(resolve));
      underWay.delete(context);
    });
    for (let round = 0; round < 3; round += 1) {
      const heartbeats = [health.heartbeat(), health.heartbeat(), health.heartbeat()];
      for (const end of ends.splice(0)) end();
      for (const { level } of await Promise.all(heartbeats)) expect(level).toBe(0);
    }
    expect(new Set(given).size).toBe(9);
  });

  test('of a run that was given up stays its own: its signal is that of no later run', async () => {
    const { health } = makeHealth();
    const given: CheckContext[] = [];
    let settle = () => {};
    const hangOnce = (context: CheckContext) => {
      given.push(context);
      if (given.length > 1) return undefined;
      return new Promise<void>((resolve) => {
        settle = resolve;
      });
    };
    health.check('storage', hangOnce, { timeout: 10 });
    await health.heartbeat();
    settle();
    await new Promise((resolve) => setImmediate(resolve));
    await health.heartbeat();
    expect(given.length).toBe(2);
    expect(given[0]).not.toBe(given[1]);
  });
});
