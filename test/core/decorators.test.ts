import { Script } from 'node:vm';
import { transformSync } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { engineOf } from '../../src/core/health.js';
import { checks } from 'lifesign';
import { makeHealth, report } from './make-health.js';

const code = (name: string) => expect.objectContaining({ code: name });
const warning = () => [new checks.Warning('Slow', { id: 'a.W' })];

test('check and versionCallback need no object before them', async () => {
  const { health } = makeHealth({ versionPath: '/srv/acme' });
  const { check, versionCallback } = health;
  check('storage', warning);
  versionCallback(() => ({ commit: 'abc' }));
  expect((await report(health)).body).toMatchObject({ checks: { storage: 'warning' } });
  expect((await engineOf(health).handle('GET', '/__version__', undefined))?.body).toBe('{"commit":"abc"}');
  expect(Object.keys(health)).not.toContain('check');
});

test('a class that overrides check keeps its own', async () => {
  const { health } = makeHealth();
  const seen: unknown[] = [];
  class Own extends (health.constructor as new (...args: unknown[]) => typeof health) {
    override check(...args: never[]): never {
      seen.push(args[0]);
      Reflect.apply(super.check, this, args);
      return args[1] as never;
    }
  }
  const own = new Own(health.options);
  const { check }: typeof health = own;
  check('storage', warning);
  expect(seen).toEqual(['storage']);
  expect((await report(own)).status).toBe(500);
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

test('decorators of esbuild, which calls them without an object', async () => {
  const { health } = makeHealth();
  const { code: compiled } = transformSync(shop, { target: 'es2022', loader: 'js' });
  const evaluate: unknown = new Script(`(health, check, checks) => {${compiled}}`).runInThisContext();
  Reflect.apply(evaluate as () => void, undefined, [health, health.check, checks]);
  const { body } = await report(health);
  expect(body).toMatchObject({
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
  expect((await engineOf(health).handle('GET', '/__version__', undefined))?.body).toBe(
    '{"path":".","text":"Slow"}',
  );
});

describe('legacy decorators', () => {
  const legacy = (decorator: unknown, ...args: readonly unknown[]) =>
    Reflect.apply(decorator as () => unknown, undefined, args);

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

  test('are refused with what to write, bare and called, and register nothing', async () => {
    const { health } = makeHealth();
    const names = fc.oneof(
      fc.string(),
      fc.string().map((text) => Symbol(text)),
    );
    fc.assert(
      fc.property(names, (name) => {
        for (const args of applications(name)) {
          for (const decorator of [health.check, health.check(), health.versionCallback]) {
            expect(() => legacy(decorator, ...args)).toThrow(code('LIFESIGN_DECORATOR_LEGACY'));
          }
          expect(() => legacy(health.check('disk', { timeout: 1 }), ...args)).toThrow(
            code('LIFESIGN_DECORATOR_LEGACY'),
          );
        }
      }),
    );
    expect((await report(health)).body).toMatchObject({ checks: {} });
  });

  test('the message names the method and what to write', () => {
    const { health } = makeHealth();
    const [args = []] = applications('storage');
    expect(() => legacy(health.check, ...args)).toThrow(
      "health.check('storage', (context) => this.storage(context))",
    );
    expect(() => legacy(health.versionCallback, ...args)).toThrow('experimentalDecorators');
  });
});

describe('what is not a check', () => {
  class Indicator {
    readonly key = 'db';
    isHealthy() {}
  }
  const values: readonly (readonly [string, unknown])[] = [
    ['nothing', undefined],
    ['null', null],
    ['a promise', Promise.resolve([])],
    ['an indicator', new Indicator()],
    ['an object with functions', { isHealthy: () => [] }],
    ['a list', [warning]],
    ['a message', warning()[0]],
    ['a text', 'storage'],
    ['a number', 5],
    ['a map', new Map()],
  ];
  test.each(values)('%s is refused, with a name and without', async (_what, value) => {
    const { health } = makeHealth();
    expect(() => Reflect.apply(health.check, health, ['storage', value])).toThrow(
      code('LIFESIGN_CHECK_FUNCTION'),
    );
    if (typeof value !== 'string') {
      expect(() => Reflect.apply(health.check, health, [value])).toThrow(code('LIFESIGN_CHECK_FUNCTION'));
    }
    expect((await report(health)).body).toMatchObject({ checks: {} });
  });

  test('options that are wrong are refused when they are given', () => {
    const { health } = makeHealth();
    const call = (...args: unknown[]) => Reflect.apply(health.check, health, args);
    expect(() => call('storage', { timout: 5 })).toThrow(code('LIFESIGN_OPTION_UNKNOWN'));
    expect(() => call('storage', warning, 500)).toThrow(code('LIFESIGN_OPTION_INVALID'));
    expect(() => call(warning, 'storage')).toThrow(code('LIFESIGN_OPTION_INVALID'));
    expect(() => call(warning, new Map())).toThrow(code('LIFESIGN_OPTION_INVALID'));
  });
});
