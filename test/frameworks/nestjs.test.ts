// The module, the middleware and the container. Also run on NestJS 11.
import { createServer, type RequestListener } from 'node:http';
import {
  type ArgumentsHost,
  type ExecutionContext,
  Injectable,
  type MiddlewareConsumer,
  type Provider,
  Scope,
  VersioningType,
} from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Redis } from 'ioredis';
import Database from 'libsql';
import { map, type Observable } from 'rxjs';
import { describe, expect, test } from 'vitest';
import {
  checks,
  Health,
  HealthMiddleware,
  HealthModule,
  type NestRequest,
  type NestSettings,
} from 'lifesign/nestjs';
import { listening } from '../http/serving.js';
import {
  applyHealth,
  controller,
  create,
  get,
  injectable,
  listen,
  nobody,
  type Parts,
  platforms,
  resultsOf,
  start,
} from './nest-app.js';

const orders = controller({ orders: () => ['one'] });
const alive = { status: 200, body: { status: 'ok' } };
function storage(): void {}

test('HealthMiddleware that is applied twice serves once', async () => {
  const configure = (consumer: MiddlewareConsumer) => {
    applyHealth(consumer);
    consumer.apply(HealthMiddleware).forRoutes('{*path}');
  };
  const made = await create({}, { controllers: [orders], configure });
  const origin = await made.listen();
  expect(await get(`${origin}/__lbheartbeat__`)).toEqual(alive);
  expect((await get(`${origin}/orders`)).body).toEqual(['one']);
  expect(await made.summariesOf(2)).toHaveLength(2);
});

describe.each(platforms)('on $platform', ({ adapter }) => {
  test('prefix, versions, guards, interceptors, pipes, filters and middleware leave the endpoints alone', async () => {
    const made = await create({ HEALTH_CHECKS: [storage] }, { controllers: [orders], adapter });
    const { app } = made;
    app.setGlobalPrefix('api');
    app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
    app.enableCors();
    app.useGlobalGuards(nobody);
    app.useGlobalInterceptors({
      intercept: (_context: ExecutionContext, next: { handle(): Observable<unknown> }) =>
        next.handle().pipe(map((data) => ({ data }))),
    });
    app.useGlobalPipes({
      transform() {
        throw new Error('piped');
      },
    });
    app.useGlobalFilters({
      catch(_thrown: unknown, host: ArgumentsHost) {
        app.getHttpAdapter().reply(host.switchToHttp().getResponse(), { filtered: true }, 418);
      },
    });
    const origin = await made.listen();
    expect(await get(`${origin}/__lbheartbeat__`)).toEqual(alive);
    // Answered before the middleware of CORS.
    const { headers } = await fetch(`${origin}/__lbheartbeat__`);
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect((await get(`${origin}/__heartbeat__`)).body).toMatchObject({ checks: { storage: 'ok' } });
    expect((await get(`${origin}/__version__`)).body).toEqual({ error: 'version.json not found' });
    expect((await get(`${origin}/api/v1/orders`)).status).toBe(418);
    expect((await get(`${origin}/api/__lbheartbeat__`)).body).toEqual({ filtered: true });
  });

  test('uid gets the request that guards get', async () => {
    const seen: unknown[] = [];
    const asked: unknown[] = [];
    const uid = (request: NestRequest & { session?: { userId: string } }) => {
      asked.push(request);
      return request.session?.userId;
    };
    const made = await create({ uid }, { controllers: [orders], adapter });
    made.app.useGlobalGuards({
      canActivate(context: ExecutionContext) {
        const request = context.switchToHttp().getRequest<object>();
        seen.push(Object.assign(request, { session: { userId: 'ada' } }));
        return true;
      },
    });
    const origin = await made.listen();
    for (const path of ['/orders', '/__lbheartbeat__']) await fetch(origin + path);
    expect((await made.summariesOf(2)).map(({ fields }) => fields['uid'])).toEqual(['ada', '']);
    expect(asked).toContain(seen[0]);
  });
});

describe('without a listening server, behind a prefix', () => {
  test('Fastify: inject() reaches the endpoints', async () => {
    const { app } = await create({}, { adapter: () => new FastifyAdapter() });
    app.setGlobalPrefix('api');
    await app.init();
    const { statusCode, body } = await (app as NestFastifyApplication).inject('/__lbheartbeat__');
    expect([statusCode, body]).toEqual([200, '{"status":"ok"}']);
  });

  test('Express: a host that calls the Express application itself reaches them', async () => {
    const { app } = await create({});
    app.setGlobalPrefix('api');
    await app.init();
    const server = createServer(app.getHttpAdapter().getInstance() as RequestListener);
    expect(await get(`${await listening(server)}/__lbheartbeat__`)).toEqual(alive);
  });
});

class Bucket {
  name = 'photos';
}
Injectable()(Bucket);
class StorageCheck {
  readonly bucket: Bucket;
  constructor(bucket: Bucket) {
    this.bucket = bucket;
  }
  check() {
    return [new checks.Warning(`Bucket ${this.bucket.name} is slow`, { id: 'acme.W001' })];
  }
}
injectable(StorageCheck, undefined, Bucket);
Injectable()(StorageCheck);
class Nothing {
  readonly empty = true;
}

const failing = () => {
  throw new Error('no configuration');
};
const knex = { providers: [{ provide: 'KNEX', useValue: { select() {} } }] };
test.each<[string, object, Parts, object]>([
  ['HealthMiddleware is not applied', {}, { configure: () => {} }, { code: 'LIFESIGN_MIDDLEWARE' }],
  ['BASE_DIR is missing', { BASE_DIR: undefined }, {}, { code: 'LIFESIGN_BASE_DIR' }],
  [
    'forRootAsync fails',
    {},
    { imports: [HealthModule.forRootAsync({ useFactory: failing })] },
    { message: 'no configuration' },
  ],
  [
    'a dependency of a check is missing, with the reason of Nest',
    { HEALTH_CHECKS: [StorageCheck] },
    {},
    {
      code: 'LIFESIGN_CONTAINER',
      message: expect.stringMatching(/HEALTH_CHECKS has the class StorageCheck.*Bucket/s),
    },
  ],
  [
    'a class has no check in it',
    { HEALTH_CHECKS: [Nothing] },
    {},
    { message: expect.stringContaining('the class Nothing, which has no check method') },
  ],
  [
    'nobody provides a token',
    { HEALTH_CHECKS: undefined, db: 'KNEX' },
    {},
    { code: 'LIFESIGN_CONTAINER', message: expect.stringContaining('db has "KNEX"') },
  ],
  ['a token is no database', { HEALTH_CHECKS: undefined, db: 'KNEX' }, knex, { code: 'LIFESIGN_CLIENT' }],
])('the application does not start if %s', async (_, settings, parts, error) => {
  await expect(start(settings, parts)).rejects.toMatchObject(error);
});

describe('a check from the container', () => {
  test('is the instance that a module provides; one that is not listed is not run', async () => {
    const providers = [Bucket, StorageCheck];
    const { app } = await create({ HEALTH_CHECKS: [StorageCheck] }, { providers });
    const text = async () => (await app.get(Health).heartbeat()).results[0]?.messages[0]?.text;
    await app.init();
    expect(await text()).toBe('Bucket photos is slow');
    app.get(StorageCheck).bucket.name = 'films';
    expect(await text()).toBe('Bucket films is slow');
    expect(await resultsOf(await start({ HEALTH_CHECKS: [storage] }, { providers }))).toEqual({
      storage: 'ok',
    });
  });

  test('is made where no module provides it, with options of its own', async () => {
    class Lonely {
      check() {}
    }
    class Slow {
      check() {
        return new Promise<void>(() => {});
      }
    }
    const health = await start({ HEALTH_CHECKS: [Lonely, ['slow', Slow, { timeout: 20 }]] });
    expect(await resultsOf(health)).toEqual({ Lonely: 'ok', slow: 'health.E012' });
  });
});

describe('the clients of the default checks', () => {
  const database = () => new Database(':memory:');
  const at = (provide: Exclude<Provider, Function>['provide']): Provider => ({
    provide,
    useFactory: database,
  });
  const other = Symbol('other');
  class Shop {}
  const shy = {
    get prepare() {
      throw new Error('do not look');
    },
  };
  class PerRequest {
    prepare() {}
    exec() {}
  }
  Injectable({ scope: Scope.REQUEST })(PerRequest);
  const dead = () => {
    const redis = new Redis({ port: 1, lazyConnect: true, retryStrategy: () => null });
    return redis.on('error', () => {});
  };
  const one = { check_database_connected: 'ok', check_migrations_applied: 'health.I001' };
  const none = { check_database_connected: 'health.E003', check_migrations_applied: 'health.I001' };
  const withRedis = { ...one, check_redis_connected: 'health.E004' };

  test.each<[string, () => Partial<NestSettings>, Provider[], Record<string, string>]>([
    ['one in the container', () => ({}), [at('SQLITE')], one],
    ['one that a token names', () => ({ db: other }), [at('SQLITE'), at(other)], one],
    [
      'several, by the names of their tokens, classes and symbols',
      () => ({}),
      [at('SQLITE'), at(Shop), at(Symbol('orders'))],
      {
        check_database_connected_SQLITE: 'ok',
        check_database_connected_Shop: 'ok',
        check_database_connected_orders: 'ok',
        check_migrations_applied: 'health.I001',
      },
    ],
    ['one under two tokens', () => ({}), [at('SQLITE'), { provide: 'ALIAS', useExisting: 'SQLITE' }], one],
    ['none', () => ({}), [], none],
    [
      'providers that throw when looked at, or are made per request, are passed over',
      () => ({}),
      [{ provide: 'SHY', useValue: shy }, PerRequest],
      none,
    ],
    [
      'the token of one',
      () => ({ redis: 'CACHE' }),
      [at('SQLITE'), { provide: 'CACHE', useFactory: dead }],
      withRedis,
    ],
  ])('the default checks ask %s', async (_, settings, providers, expected) => {
    const health = await start({ HEALTH_CHECKS: undefined, ...settings() }, { providers });
    expect(await resultsOf(health)).toEqual(expected);
  });
});

describe('a shutdown', () => {
  test('by close(): ends at once', async () => {
    const { app, records } = await create(
      { drain: { delay: 60_000 } },
      { adapter: () => new FastifyAdapter() },
    );
    await listen(app);
    await app.close();
    expect(records.some(({ msg }) => msg?.startsWith('Draining'))).toBe(false);
  });
});
