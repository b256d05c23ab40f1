import { Script } from 'node:vm';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { checks } from 'lifesign';
import type { CheckContext } from 'lifesign/checks';
import { makeHealth } from '../make-health.js';

const coded = (code: string) => expect.objectContaining({ code });
const info = (text = 'i') => [new checks.Info(text, { id: 'a.I' })];
const fine = () => [];

/** As callers in JavaScript, who have no compiler. */
const calling = (options = {}) => {
  const made = makeHealth(options);
  return {
    ...made,
    call: (...args: unknown[]): unknown => Reflect.apply(made.health.check, made.health, args),
  };
};

describe('health.check', () => {
  it('takes a named function, or a name and a function, returns it, and needs no object before it', async () => {
    const { health, report } = makeHealth();
    function storageReachable() {
      return info();
    }
    const later = async () => [];
    const { check } = health;
    expect([check(storageReachable), check('my storage', later)]).toEqual([storageReachable, later]);
    expect((await report()).body).toMatchObject({ checks: { storageReachable: 'info', 'my storage': 'ok' } });
    expect(Object.keys(health)).not.toContain('check');
  });

  it.each<[string, unknown[], string, string?]>([
    ['an anonymous function', [() => []], 'LIFESIGN_CHECK_NAME', "health.check('storage', () => …)"],
    ['an empty name', ['', fine], 'LIFESIGN_CHECK_NAME'],
    [
      'a timeout of 0',
      ['a', fine, { timeout: 0 }],
      'LIFESIGN_OPTION_INVALID',
      'Option timeout of check a is 0; it must be a text such as "30s", or in code a number from 1 to',
    ],
    ['a negative timeout', ['a', fine, { timeout: -1 }], 'LIFESIGN_OPTION_INVALID'],
    ['half a millisecond', ['a', fine, { timeout: 1.5 }], 'LIFESIGN_OPTION_INVALID'],
    ['a timeout as a number in a text', ['a', fine, { timeout: '5' }], 'LIFESIGN_OPTION_INVALID'],
    ['a timeout beyond 31 bits', ['a', fine, { timeout: 2 ** 31 }], 'LIFESIGN_OPTION_INVALID'],
    ['a negative cacheFor', ['a', fine, { cacheFor: -1 }], 'LIFESIGN_OPTION_INVALID', 'a number from 0 to'],
    [
      'an unknown level',
      ['a', fine, { maxLevel: 'ok' }],
      'LIFESIGN_OPTION_INVALID',
      'one of debug, info, warning',
    ],
    [
      'an unknown scope',
      ['a', fine, { scope: 'fleet' }],
      'LIFESIGN_OPTION_INVALID',
      "'instance', 'shared' or 'auto'",
    ],
    [
      'no failure at all',
      ['a', fine, { failureThreshold: 0 }],
      'LIFESIGN_OPTION_INVALID',
      'an integer from 1 to 1000',
    ],
    [
      'half a success',
      ['a', fine, { successThreshold: 1.5 }],
      'LIFESIGN_OPTION_INVALID',
      'an integer from 1 to 1000',
    ],
    [
      'a negative restartAfter',
      ['a', fine, { restartAfter: -1 }],
      'LIFESIGN_OPTION_INVALID',
      'a number from 0 to',
    ],
    [
      'an unknown option',
      ['a', fine, { tiemout: 5 }],
      'LIFESIGN_OPTION_UNKNOWN',
      'Unknown option "tiemout" of check a. Known options: timeout, cacheFor, every, maxLevel, scope, failureThreshold, successThreshold, restartAfter.',
    ],
    ['an unknown option and no function', ['a', { timout: 5 }], 'LIFESIGN_OPTION_UNKNOWN'],
    ['a number as options', ['a', fine, 500], 'LIFESIGN_OPTION_INVALID'],
    ['a text as options', [function named() {}, 'storage'], 'LIFESIGN_OPTION_INVALID'],
    ['a map as options', [function named() {}, new Map()], 'LIFESIGN_OPTION_INVALID'],
  ])('refuses %s', async (_what, args, code, text = ' ') => {
    const { call, report } = calling();
    expect(() => call(...args)).toThrow(coded(code));
    expect(() => call(...args)).toThrow(text);
    expect((await report()).body).toEqual({ status: 'ok', checks: {}, details: {} });
  });

  class Indicator {
    isHealthy() {}
  }
  it.each([
    undefined,
    null,
    Promise.resolve([]),
    new Indicator(),
    { isHealthy: () => [] },
    [() => info()],
    info()[0],
    5,
    new Map(),
  ])('refuses %o instead of a function, with a name and without', (value) => {
    const { call } = calling();
    expect(() => call('storage', value)).toThrow(coded('LIFESIGN_CHECK_FUNCTION'));
    expect(() => call(value)).toThrow(coded('LIFESIGN_CHECK_FUNCTION'));
  });

  it('refuses a name that is there, whichever way it was given, also after it was scrubbed and cut', () => {
    const { health } = makeHealth();
    for (const [name, same] of [
      ['storage', 'storage'],
      ['open redis://:one@cache', 'open redis://:two@cache'],
      [`${'n'.repeat(200)}a`, `${'n'.repeat(200)}b`],
    ] as const) {
      health.check(name, fine);
      expect(() => health.check(same, fine)).toThrow(coded('LIFESIGN_CHECK_DUPLICATE'));
    }
    expect(() => health.check(function storage() {})).toThrow('is already registered');
  });
});

/** Bare, called, destructured, with a name, with options, on static and private methods. */
const shop = `
class Shop {
  text = 'Slow';
  @health.check bare() { return [new checks.Info(this.text, { id: 'a.I' })]; }
  @health.check() called() { return [new checks.Info(this.text, { id: 'a.I' })]; }
  @check loose() { return [new checks.Info(this.text, { id: 'a.I' })]; }
  @check('other name', { timeout: 10 }) named() { return new Promise(() => {}); }
  @check #hidden() { return [new checks.Info(this.text, { id: 'a.I' })]; }
  @health.check static whole() { return this === Shop ? [] : null.wrong; }
  @health.versionCallback() version(path) { return { path, text: this.text }; }
}
new Shop();`;

/** A class as esbuild compiles it, which calls decorators without an object before them. */
function evaluate(source: string, health: ReturnType<typeof makeHealth>['health']): void {
  const { code } = transformSync(source, { target: 'es2022', loader: 'js' });
  const run: unknown = new Script(`(health, check, checks) => {${code}}`).runInThisContext();
  Reflect.apply(run as () => void, undefined, [health, health.check, checks]);
}

describe('decorators', () => {
  it('registers methods under their names, bound to the instance or the class', async () => {
    const { health, report, ask } = makeHealth({ versionPath: '/srv/acme' });
    evaluate(shop, health);
    expect((await report()).body).toMatchObject({
      checks: {
        whole: 'ok',
        bare: 'info',
        called: 'info',
        loose: 'info',
        '#hidden': 'info',
        'other name': 'error',
      },
      details: { loose: { messages: { 'a.I': 'Slow' } }, '#hidden': { messages: { 'a.I': 'Slow' } } },
    });
    expect((await ask('/__version__')).body).toBe('{"path":"/srv/acme","text":"Slow"}');
  });

  it('on what is no method are refused', () => {
    const { health } = makeHealth();
    const shops = [
      'class A { @health.check storage = () => []; }',
      'class A { @health.check get storage() {} }',
    ];
    for (const source of shops) {
      expect(() => evaluate(source, health)).toThrow(coded('LIFESIGN_DECORATOR'));
    }
  });

  /** What compilers hand to legacy decorators: of methods, static methods, fields and parameters. */
  const applications = (name: string | symbol): readonly (readonly unknown[])[] => {
    class Shop {
      static storage() {}
      storage() {}
    }
    const descriptor = Object.getOwnPropertyDescriptor(Shop.prototype, 'storage');
    return [
      [Shop.prototype, name, descriptor],
      [Shop, name, Object.getOwnPropertyDescriptor(Shop, 'storage')],
      [Shop.prototype, name, undefined],
      [Shop.prototype, name],
      [Shop.prototype, name, 0],
    ];
  };

  it.each(['storage', '', '__proto__', Symbol('storage'), Symbol('')])(
    'of a legacy compiler are refused with what to write, bare and called, and register nothing: %s',
    async (name) => {
      const { health, report } = makeHealth();
      for (const args of applications(name)) {
        for (const decorator of [
          health.check,
          health.check(),
          health.check('disk', { timeout: 1 }),
          health.versionCallback,
        ]) {
          const apply = () => Reflect.apply(decorator as () => unknown, undefined, args);
          expect(apply).toThrow(coded('LIFESIGN_DECORATOR_LEGACY'));
          expect(apply).toThrow('experimentalDecorators');
        }
      }
      expect((await report()).body).toMatchObject({ checks: {} });
    },
  );
});

it('versionCallback returns the callback, needs no object before it, and refuses what is no function', async () => {
  const { health, ask } = makeHealth();
  const { versionCallback } = health;
  const callback = () => ({ commit: 'abc' });
  expect(versionCallback(callback)).toBe(callback);
  expect((await ask('/__version__')).body).toBe('{"commit":"abc"}');
  for (const value of [undefined, null, '1.2.3', {}]) {
    expect(() => Reflect.apply(versionCallback, health, [value])).toThrow(coded('LIFESIGN_VERSION_CALLBACK'));
  }
});

describe('what a check is given', () => {
  it('has a name and a signal, and shows nothing of the run', async () => {
    const { health } = makeHealth();
    const given: CheckContext[] = [];
    health.check('storage', (context) => void given.push(context));
    await health.heartbeat();
    const [context] = given;
    expect(context?.signal).toBeInstanceOf(AbortSignal);
    expect(Object.entries(Object(context))).toEqual([['name', 'storage']]);
  });

  it('has a signal of its own in each run, which fires when the time is up, as any signal does', async () => {
    const { health } = makeHealth({ timeout: 10 });
    const signals = new Set<AbortSignal>();
    const heard: unknown[] = [];
    health.check('storage', ({ signal }) => {
      signals.add(signal);
      signal.addEventListener('abort', ({ type }) => heard.push(type));
      return new Promise<void>(() => {});
    });
    await Promise.all([health.heartbeat(), health.heartbeat()]);
    expect(Array.from(signals, ({ aborted, reason }) => [aborted, reason.name])).toEqual([
      [true, 'TimeoutError'],
      [true, 'TimeoutError'],
    ]);
    expect(heard).toEqual(['abort', 'abort']);
  });
});

it('a heartbeat can be asked for without a request', async () => {
  const { health, records } = makeHealth();
  health.check('storage', () => [new checks.Warning('Slow', { id: 'a.W' })]);
  const { status, failed, results } = await health.heartbeat();
  expect({ status, failed, results: results.map(({ name, level }) => [name, level]) }).toEqual({
    status: 'warning',
    failed: true,
    results: [['storage', 30]],
  });
  expect(records.map(({ msg, fields }) => [msg, fields])).toEqual([['a.W: Slow', { check: 'storage' }]]);
});

it('a logger that throws or rejects loses its records and nothing else', async () => {
  for (const log of [
    () => {
      throw new Error('disk full');
    },
    () => Promise.reject(new Error('disk full')),
  ]) {
    const { health, report } = makeHealth({ logger: { log } });
    health.check('storage', () => info());
    expect((await report()).status).toBe(200);
  }
});
