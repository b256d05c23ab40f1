import { tmpdir } from 'node:os';
import { type DynamicModule, Injectable, type ModuleMetadata, type Provider, Scope } from '@nestjs/common';
import Database from 'libsql';
import { describe, expect, test } from 'vitest';
import { type AsyncSettings, HealthModule, type NestSettings } from 'lifesign/nestjs';
import { injectable, resultsOf, settingsWith, start } from './nest-app.js';

const { settings: base } = settingsWith({});
const withChecks = (checks: NestSettings['HEALTH_CHECKS'], providers: Provider[] = []) =>
  start({ HEALTH_CHECKS: checks }, { providers });
const importing = (...imports: NonNullable<ModuleMetadata['imports']>) => start({}, { imports });
const database = (provide: string): Provider => ({ provide, useFactory: () => new Database(':memory:') });

test('a check that is made per request is refused at start, with the reason', async () => {
  class PerRequest {
    check() {}
  }
  Injectable({ scope: Scope.REQUEST })(PerRequest);
  class Tenant {
    readonly dependency: PerRequest;
    constructor(dependency: PerRequest) {
      this.dependency = dependency;
    }
    check() {}
  }
  injectable(Tenant, undefined, PerRequest);
  for (const check of [PerRequest, Tenant]) {
    const refused = withChecks([check], [PerRequest, Tenant]);
    await expect(refused).rejects.toMatchObject({ code: 'LIFESIGN_CONTAINER' });
    await expect(refused).rejects.toThrow(
      new RegExp(`HEALTH_CHECKS has the class ${check.name}, .*a heartbeat has no request`),
    );
  }
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
  test('what depends on something made per request is refused at start', async () => {
    const module = HealthModule.forRootAsync({
      imports: [{ module: class PerRequest {}, providers: [perRequest], exports: ['PER_REQUEST'] }],
      inject: ['PER_REQUEST'],
      useFactory: () => base,
    });
    await expect(importing(module)).rejects.toThrow('Health is marked as a scoped provider');
  });

  test.each<[string, () => DynamicModule | typeof HealthModule, string]>([
    [
      'forRoot()',
      () => HealthModule.forRoot(nothing()),
      'HealthModule got null, which is not a settings object',
    ],
    [
      'forRoot(a text)',
      () => HealthModule.forRoot('/app' as never),
      'got "/app", which is not a settings object',
    ],
    ['no forRoot at all', () => HealthModule, 'which is not a settings object'],
    [
      'one that resolves to nothing',
      () => HealthModule.forRootAsync({ useFactory: async () => nothing() }),
      'HealthModule got undefined, which is not a settings object',
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
