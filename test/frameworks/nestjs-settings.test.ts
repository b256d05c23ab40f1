import { tmpdir } from 'node:os';
import { type DynamicModule, Injectable, type ModuleMetadata, type Provider, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import Database from 'libsql';
import { describe, expect, test } from 'vitest';
import { type AsyncSettings, HealthCheck, HealthModule, type NestSettings } from 'lifesign/nestjs';
import { injectable, resultsOf, settingsWith, start } from './nest-app.js';

const { settings: base } = settingsWith({});
const withChecks = (checks: NestSettings['HEALTH_CHECKS'], providers: Provider[] = []) =>
  start({ HEALTH_CHECKS: checks }, { providers });
const importing = (...imports: NonNullable<ModuleMetadata['imports']>) => start({}, { imports });
const database = (provide: string): Provider => ({ provide, useFactory: () => new Database(':memory:') });

describe('a check that is made per request', () => {
  function classes() {
    const made: unknown[] = [];
    class PerRequest {
      readonly request: unknown;
      constructor(request: unknown) {
        this.request = request;
        made.push(this);
      }
    }
    injectable(PerRequest, Scope.REQUEST, REQUEST);
    class Tenant {
      readonly dependency: PerRequest;
      constructor(dependency: PerRequest) {
        this.dependency = dependency;
      }
      check() {}
    }
    injectable(Tenant, undefined, PerRequest);
    HealthCheck('tenant')(Tenant);
    class Direct {
      readonly request: unknown;
      constructor(request: unknown) {
        this.request = request;
      }
      check() {}
    }
    injectable(Direct, undefined, REQUEST);
    HealthCheck('direct')(Direct);
    return { made, PerRequest, Tenant, Direct };
  }

  test('is made anew for every heartbeat, in a context without a request', async () => {
    const { made, PerRequest, Tenant, Direct } = classes();
    const health = await withChecks([Tenant, Direct], [PerRequest, Tenant, Direct]);
    const before = made.length;
    expect(await resultsOf(health)).toEqual({ tenant: 'ok', direct: 'ok' });
    await resultsOf(health);
    expect(made.length - before).toBe(2);
    expect(new Set(made).size).toBe(made.length);
  });

  test('and cannot do without the request is refused at start, with the reason', async () => {
    class Greedy {
      readonly user: unknown;
      constructor(request: { user: unknown }) {
        this.user = request.user;
      }
      check() {}
    }
    injectable(Greedy, Scope.REQUEST, REQUEST);
    const refused = withChecks([Greedy], [Greedy]);
    await expect(refused).rejects.toMatchObject({ code: 'LIFESIGN_CONTAINER' });
    await expect(refused).rejects.toThrow(
      /HEALTH_CHECKS has the class Greedy, .*a heartbeat has no request: REQUEST is undefined there/,
    );
    await expect(refused).rejects.not.toThrow('providers of a module');
  });

  test('of the scope TRANSIENT is made once, whether @HealthCheck() stands above or below it', async () => {
    let made = 0;
    class Above {
      constructor() {
        made += 1;
      }
      check() {}
    }
    Injectable({ scope: Scope.TRANSIENT })(Above);
    HealthCheck('above')(Above);
    const health = await withChecks([Above], [Above]);
    const before = made;
    await resultsOf(health);
    expect(await resultsOf(health)).toEqual({ above: 'ok' });
    expect(made).toBe(before);
  });
});

describe('clients by their tokens', () => {
  test('several, in a list or with names', async () => {
    const providers = [database('A'), database('B')];
    const settings = { ...base, HEALTH_CHECKS: ['lifesign/checks.checkDatabaseConnected'] };
    const named = { ...settings, db: { main: 'A', replica: 'B', own: new Database(':memory:') } };
    expect(await resultsOf(await start(named, { providers }))).toEqual({
      check_database_connected_main: 'ok',
      check_database_connected_replica: 'ok',
      check_database_connected_own: 'ok',
    });
    const listed = { ...settings, db: ['A', 'B'] };
    expect(await resultsOf(await start(listed, { providers }))).toEqual({
      check_database_connected_1: 'ok',
      check_database_connected_2: 'ok',
    });
  });

  test('message brokers, and functions that give the one there is now', async () => {
    const nats = { flush: async () => {}, rtt: async () => 1, isClosed: () => false, drain() {} };
    const broker = { orders: 'EVENTS', mail: nats };
    const settings = { ...base, HEALTH_CHECKS: ['lifesign/checks.checkBrokerConnected'], broker };
    const app = await start(settings, { providers: [{ provide: 'EVENTS', useValue: nats }] });
    expect(await resultsOf(app)).toEqual({
      check_broker_connected_orders: 'ok',
      check_broker_connected_mail: 'ok',
    });
    const late = { ...settings, broker: [nats, () => undefined] };
    expect(await resultsOf(await start(late))).toEqual({
      check_broker_connected_1: 'ok',
      check_broker_connected_2: 'health.E032',
    });
  });

  test.each([
    [{ main: 'GONE' }, 'LIFESIGN_CONTAINER', 'db.main has "GONE"'],
    [{ main: 'TEXT' }, 'LIFESIGN_CLIENT', 'Option db.main is a string'],
    [{}, 'LIFESIGN_CLIENT', 'Option db is a plain object'],
    ['postgres://me:hunter2@db/shop', 'LIFESIGN_CLIENT', 'Option db is a string'],
  ])('%j is refused by the name of the setting', async (db, code, text) => {
    const settings = { ...base, HEALTH_CHECKS: undefined, db } as NestSettings;
    const refused = start(settings, { providers: [{ provide: 'TEXT', useValue: 'text' }] });
    await expect(refused).rejects.toMatchObject({ code });
    await expect(refused).rejects.toThrow(text);
    await expect(refused).rejects.not.toThrow('hunter2');
  });
});

describe('forRootAsync', () => {
  class Source {
    readonly root = tmpdir();
  }
  Injectable()(Source);
  const sources: DynamicModule = {
    module: class Sources {
      readonly kind = 'sources';
    },
    providers: [Source],
    exports: [Source],
  };

  test.each<[string, AsyncSettings]>([
    [
      'providers of other modules, and what is optional',
      {
        imports: [sources],
        inject: [Source, { token: 'GONE', optional: true }],
        useFactory: (source: Source, gone: unknown) => ({
          ...base,
          BASE_DIR: source.root,
          timeout: gone === undefined ? 123 : 1,
        }),
      },
    ],
    [
      'DEBUG as a text, which a configuration service has',
      { useFactory: () => ({ ...base, timeout: 123, DEBUG: 'true' }) as unknown as NestSettings },
    ],
  ])('%s', async (_, given) => {
    expect((await importing(HealthModule.forRootAsync(given))).options.timeout).toBe(123);
  });

  const nothing = () => undefined as unknown as NestSettings;
  const perRequest: Provider = { provide: 'PER_REQUEST', scope: Scope.REQUEST, useFactory: () => 1 };
  test.each<[string, () => DynamicModule | typeof HealthModule, string]>([
    ['forRoot()', () => HealthModule.forRoot(nothing()), 'HealthModule.forRoot got no settings'],
    [
      'forRoot(a text)',
      () => HealthModule.forRoot('/app' as never),
      'got "/app", which is not a settings object',
    ],
    ['no forRoot at all', () => HealthModule, 'HealthModule was imported with no settings'],
    ['forRootAsync()', () => HealthModule.forRootAsync(undefined as never), 'forRootAsync got no settings'],
    [
      'one that resolves to nothing',
      () => HealthModule.forRootAsync({ useFactory: async () => nothing() }),
      'useFactory of HealthModule.forRootAsync returned no settings',
    ],
    [
      'what depends on something made per request',
      () =>
        HealthModule.forRootAsync({
          imports: [{ module: class PerRequest {}, providers: [perRequest], exports: ['PER_REQUEST'] }],
          inject: ['PER_REQUEST'],
          useFactory: () => base,
        }),
      'are request-scoped',
    ],
  ])('%s is refused at start', async (_, module, text) => {
    const refused = (async () => importing(module()))();
    await expect(refused).rejects.toMatchObject({ code: 'LIFESIGN_SETTINGS' });
    await expect(refused).rejects.toThrow(text);
  });
});

test('HealthModule twice is refused by an error of its own', async () => {
  const second = HealthModule.forRootAsync({ useFactory: () => base });
  await expect(importing(HealthModule.forRoot(base), second)).rejects.toMatchObject({
    code: 'LIFESIGN_MODULE_TWICE',
  });
});

test('options for a check that a second database has renamed are refused, with the names there are', async () => {
  const options = { checkOptions: { check_database_connected: { timeout: 100 } } };
  const settings = { ...base, ...options, HEALTH_CHECKS: ['lifesign/checks.checkDatabaseConnected'] };
  await start(settings, { providers: [database('A')] });
  const refused = start(settings, { providers: [database('A'), database('B')] });
  await expect(refused).rejects.toMatchObject({ code: 'LIFESIGN_CHECK_UNKNOWN' });
  await expect(refused).rejects.toThrow('check_database_connected_A, check_database_connected_B');
});
