import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ArgumentsHost,
  type CanActivate,
  Controller,
  type DynamicModule,
  type ExecutionContext,
  Get,
  type INestApplication,
  Inject,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type ModuleMetadata,
  type NestInterceptor,
  type Provider,
  Scope,
  type Type,
  VersioningType,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Redis } from 'ioredis';
import Database from 'libsql';
import { map, type Observable } from 'rxjs';
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest';
import type { LogRecord } from 'lifesign';
import {
  checks,
  Health,
  HealthCheck,
  HealthMiddleware,
  HealthModule,
  type NestRequest,
  type NestSettings,
} from 'lifesign/nestjs';
import { freePort } from '../services/port.js';

const platforms = [
  { platform: 'Express', adapter: () => new ExpressAdapter() },
  { platform: 'Fastify', adapter: () => new FastifyAdapter() },
];

let records: LogRecord[] = [];
const open: INestApplication[] = [];
afterEach(async () => {
  records = [];
  await Promise.all(open.splice(0).map((app) => app.close()));
});

const base: NestSettings = {
  BASE_DIR: tmpdir(),
  DEBUG: true,
  HEALTH_CHECKS: [],
  logger: { log: (record: LogRecord) => void records.push(record) },
};

interface AppParts {
  readonly module?: DynamicModule;
  readonly providers?: Provider[];
  readonly apply?: boolean;
  readonly adapter?: () => ExpressAdapter | FastifyAdapter;
}

/** An application with one route, `GET /orders`, that nobody reaches unless `orders` lets them. */
async function create(settings: Partial<NestSettings>, parts: AppParts = {}): Promise<INestApplication> {
  const { module = HealthModule.forRoot({ ...base, ...settings }), providers = [], apply = true } = parts;
  class Orders {
    list() {
      return ['one'];
    }
    broken() {
      throw new Error('orders are broken');
    }
  }
  Controller({ path: 'orders', version: '1' })(Orders);
  method(Orders, 'list', Get());
  method(Orders, 'broken', Get('broken'));
  class AppModule {
    configure(consumer: MiddlewareConsumer) {
      if (apply) consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  Module({ imports: [module], controllers: [Orders], providers })(AppModule);
  const adapter = parts.adapter?.() ?? new ExpressAdapter();
  const app = await NestFactory.create(AppModule, adapter, {
    logger: false,
    abortOnError: false,
    forceCloseConnections: true,
  });
  open.push(app);
  return app;
}

function method(target: { prototype: object }, name: string, decorate: MethodDecorator): void {
  decorate(target.prototype, name, Reflect.getOwnPropertyDescriptor(target.prototype, name) ?? {});
}

async function start(settings: Partial<NestSettings>, parts?: AppParts): Promise<string> {
  return listen(await create(settings, parts));
}

async function listen(app: INestApplication): Promise<string> {
  await app.listen(await freePort(), '127.0.0.1');
  return originOf(app.getHttpServer() as Server);
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function get(url: string) {
  const response = await fetch(url);
  return { status: response.status, body: (await response.json()) as unknown };
}

const checksOf = async (origin: string) =>
  ((await get(`${origin}/__heartbeat__`)).body as { checks: unknown }).checks;

const summariesSoFar = () => records.filter(({ logger }) => logger === 'request.summary');

async function summaries(count: number): Promise<LogRecord[]> {
  await expect.poll(() => summariesSoFar().length, { timeout: 5000 }).toBe(count);
  return summariesSoFar();
}

/** What Nest's own handler of a signal does, without the end of the process. */
function shutdown(app: INestApplication, signal: string): Promise<void> {
  const internals = app as unknown as Record<'close', (signal?: string) => Promise<void>>;
  return internals.close(signal);
}

function storage(): void {}
const sqlite = (): Provider => ({ provide: 'SQLITE', useValue: new Database(':memory:') });

/** A module without a class of its own. */
function moduleOf(metadata: ModuleMetadata): Type {
  const target = class {
    readonly kind = 'module';
  };
  Module(metadata)(target);
  return target;
}

describe('on a platform of its own', () => {
  class OwnAdapter extends ExpressAdapter {
    override getType() {
      return 'own';
    }
  }
  const adapter = () => new OwnAdapter();

  test('the endpoints answer before it, and each request has its summary', async () => {
    const origin = await start({}, { adapter });
    expect(await get(`${origin}/__lbheartbeat__`)).toEqual({ status: 200, body: { status: 'ok' } });
    expect((await get(`${origin}/orders`)).body).toEqual(['one']);
    expect((await summaries(2)).map(({ fields }) => fields['path'])).toEqual(['/__lbheartbeat__', '/orders']);
  });
});

describe('HealthMiddleware that is applied twice', () => {
  test('serves once', async () => {
    const again = moduleOf({});
    Object.defineProperty(again.prototype, 'configure', {
      value: (consumer: MiddlewareConsumer) => void consumer.apply(HealthMiddleware).forRoutes('{*path}'),
    });
    const health = HealthModule.forRoot(base);
    const module = { ...health, imports: [again] };
    const origin = await start({}, { module });
    expect((await get(`${origin}/__lbheartbeat__`)).status).toBe(200);
    expect((await get(`${origin}/orders`)).body).toEqual(['one']);
    expect(await summaries(2)).toHaveLength(2);
  });
});

describe.each(platforms)('on $platform', ({ adapter }) => {
  class Nobody implements CanActivate {
    canActivate() {
      return false;
    }
  }
  class Wrapped implements NestInterceptor {
    intercept(_context: ExecutionContext, next: { handle(): Observable<unknown> }) {
      return next.handle().pipe(map((data) => ({ data })));
    }
  }
  const alive = { status: 200, body: { status: 'ok' } };

  test('prefix, versions, guards, interceptors, pipes and filters leave the endpoints alone', async () => {
    const app = await create({ HEALTH_CHECKS: [storage] }, { adapter });
    app.setGlobalPrefix('api');
    app.enableVersioning({ type: VersioningType.URI });
    app.enableCors();
    app.useGlobalGuards(new Nobody());
    app.useGlobalInterceptors(new Wrapped());
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
    const origin = await listen(app);
    expect(await get(`${origin}/__lbheartbeat__`)).toEqual(alive);
    // Answered before the middleware of CORS.
    const { headers } = await fetch(`${origin}/__lbheartbeat__`);
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(await get(`${origin}/__heartbeat__`)).toEqual({
      status: 200,
      body: { status: 'ok', checks: { storage: 'ok' }, details: {} },
    });
    expect((await get(`${origin}/__version__`)).body).toEqual({ error: 'version.json not found' });
    expect((await get(`${origin}/api/v1/orders`)).status).toBe(418);
    const { body } = await get(`${origin}/api/__lbheartbeat__`);
    expect(body).toEqual({ filtered: true });
  });

  test('a middleware of the application that never ends does not stop a probe', async () => {
    const app = await create({}, { adapter });
    app.use(() => {});
    expect(await get(`${await listen(app)}/__lbheartbeat__`)).toEqual(alive);
  });

  test('DEBUG left out is DEBUG false', async () => {
    const origin = await start({ DEBUG: undefined, HEALTH_CHECKS: [storage] }, { adapter });
    expect((await get(`${origin}/__heartbeat__`)).body).toEqual({ status: 'ok' });
  });
});

describe('without a listening server', () => {
  test('Fastify: inject() reaches the endpoints, behind a prefix too', async () => {
    const app = await create({}, { adapter: () => new FastifyAdapter() });
    app.setGlobalPrefix('api');
    await app.init();
    const { statusCode, body } = await (app as NestFastifyApplication).inject('/__lbheartbeat__');
    expect([statusCode, body]).toEqual([200, '{"status":"ok"}']);
  });

  test('Express: a host that calls the Express application itself reaches them too', async () => {
    const app = await create({});
    app.setGlobalPrefix('api');
    await app.init();
    const server = createServer(app.getHttpAdapter().getInstance());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    expect(await get(`${originOf(server)}/__lbheartbeat__`)).toEqual({ status: 200, body: { status: 'ok' } });
    server.close();
  });
});

describe('HealthModule', () => {
  test('without HealthMiddleware is refused at start', async () => {
    const app = await create({}, { apply: false });
    await expect(app.init()).rejects.toMatchObject({ code: 'LIFESIGN_MIDDLEWARE' });
  });

  test('needs no middleware where there is no server', async () => {
    const Worker = moduleOf({ imports: [HealthModule.forRoot({ ...base, HEALTH_CHECKS: [storage] })] });
    const context = await NestFactory.createApplicationContext(Worker, {
      logger: false,
      abortOnError: false,
    });
    expect((await context.get(Health).heartbeat()).results.map(({ name }) => name)).toEqual(['storage']);
    await context.close();
  });

  test('without BASE_DIR is refused at start', async () => {
    await expect(create({ BASE_DIR: undefined as unknown as string })).rejects.toMatchObject({
      code: 'LIFESIGN_BASE_DIR',
    });
  });

  test('with an import path that leads nowhere is refused at start', async () => {
    const app = await create({ HEALTH_CHECKS: ['./gone.js.storage'] });
    await expect(app.init()).rejects.toMatchObject({ code: 'LIFESIGN_IMPORT_PATH' });
  });

  test('forRootAsync that fails is refused at start', async () => {
    const module = HealthModule.forRootAsync({
      useFactory: () => {
        throw new Error('no configuration');
      },
    });
    await expect(create({}, { module })).rejects.toThrow('no configuration');
  });

  test('reads version.json and import paths from BASE_DIR', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lifesign-nest-'));
    await writeFile(join(directory, 'version.json'), '{"version":"3"}');
    await writeFile(join(directory, 'queue.mjs'), 'export class Queue { check() { return []; } }');
    const origin = await start({ BASE_DIR: directory, HEALTH_CHECKS: ['./queue.mjs.Queue'] });
    expect((await get(`${origin}/__version__`)).body).toEqual({ version: '3' });
    expect(await checksOf(origin)).toEqual({ Queue: 'ok' });
    await rm(directory, { recursive: true });
  });
});

describe('a check from the container', () => {
  class Bucket {
    readonly name = 'photos';
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
  Inject(Bucket)(StorageCheck, undefined, 0);
  HealthCheck('storage')(StorageCheck);

  const slow = {
    storage: { status: 'warning', level: 30, messages: { 'acme.W001': 'Bucket photos is slow' } },
  };

  test('is the instance that a module provides', async () => {
    const app = await create({ HEALTH_CHECKS: [StorageCheck] }, { providers: [Bucket, StorageCheck] });
    const origin = await listen(app);
    expect((await get(`${origin}/__heartbeat__`)).body).toMatchObject({ details: slow });
    Object.defineProperty(app.get(StorageCheck).bucket, 'name', { value: 'films' });
    expect(JSON.stringify((await get(`${origin}/__heartbeat__`)).body)).toContain('Bucket films is slow');
  });

  test('that is not listed is not run', async () => {
    const parts = { providers: [Bucket, StorageCheck] };
    expect(await checksOf(await start({ HEALTH_CHECKS: [storage] }, parts))).toEqual({ storage: 'ok' });
  });

  test('is made where no module provides it', async () => {
    class Lonely {
      check() {}
    }
    HealthCheck()(Lonely);
    expect(await checksOf(await start({ HEALTH_CHECKS: [Lonely] }))).toEqual({ Lonely: 'ok' });
  });

  test('has options of its own', async () => {
    class Slow {
      check() {
        return new Promise<void>(() => {});
      }
    }
    HealthCheck('slow', { timeout: 20 })(Slow);
    const origin = await start({ HEALTH_CHECKS: [Slow] });
    expect(JSON.stringify((await get(`${origin}/__heartbeat__`)).body)).toContain(
      'did not answer within 20 ms',
    );
  });

  test('whose dependency is missing is refused at start, with the reason of Nest', async () => {
    const app = await create({ HEALTH_CHECKS: [StorageCheck] });
    const refused = app.init();
    await expect(refused).rejects.toMatchObject({ code: 'LIFESIGN_CONTAINER' });
    await expect(refused).rejects.toThrow('HEALTH_CHECKS has the class StorageCheck');
    await expect(refused).rejects.toThrow('Bucket');
  });

  test('a class without a check in it is refused at start', async () => {
    class Nothing {
      readonly empty = true;
    }
    const app = await create({ HEALTH_CHECKS: [Nothing as unknown as typeof StorageCheck] });
    await expect(app.init()).rejects.toThrow(
      'HEALTH_CHECKS contains the class Nothing, which has no check method',
    );
  });

  test('wrong use does not compile', () => {
    expectTypeOf<{ BASE_DIR: string; HEALTH_CHECKS: (typeof Bucket)[] }>().not.toExtend<NestSettings>();
    expectTypeOf<{ BASE_DIR: string; HEALTH_CHECKS: (typeof StorageCheck)[] }>().toExtend<NestSettings>();
    expectTypeOf<{ BASE_DIR: string; db: symbol }>().toExtend<NestSettings>();
    expectTypeOf<{ BASE_DIR: string; db: number }>().not.toExtend<NestSettings>();
    // @ts-expect-error a class without a method `check`
    HealthCheck()(Bucket);
    // @ts-expect-error settings without BASE_DIR
    HealthModule.forRoot({});
  });
});

describe('the database of the default checks', () => {
  const healthy = { check_database_connected: 'ok', check_migrations_applied: 'info' };

  test('is found in the container', async () => {
    const db = new Database(':memory:');
    const origin = await start(
      { HEALTH_CHECKS: undefined },
      { providers: [{ provide: 'SQLITE', useValue: db }] },
    );
    expect(await checksOf(origin)).toEqual(healthy);
    db.close();
    expect((await get(`${origin}/__heartbeat__`)).status).toBe(500);
  });

  test('may be named by a token or be given', async () => {
    const token = Symbol('other');
    const named = { HEALTH_CHECKS: undefined, db: token };
    const other: Provider = { provide: token, useValue: new Database(':memory:') };
    expect(await checksOf(await start(named, { providers: [sqlite(), other] }))).toEqual(healthy);
    const given = { HEALTH_CHECKS: undefined, db: new Database(':memory:') };
    expect(await checksOf(await start(given))).toEqual(healthy);
  });

  test('several are checked one by one, by the names of their tokens, classes and symbols', async () => {
    class Shop {
      readonly kind = 'token';
    }
    const ofClass: Provider = { provide: Shop, useValue: new Database(':memory:') };
    const ofSymbol: Provider = { provide: Symbol('orders'), useValue: new Database(':memory:') };
    const origin = await start({ HEALTH_CHECKS: undefined }, { providers: [sqlite(), ofClass, ofSymbol] });
    expect(await checksOf(origin)).toEqual({
      check_database_connected_SQLITE: 'ok',
      check_database_connected_Shop: 'ok',
      check_database_connected_orders: 'ok',
      check_migrations_applied: 'info',
    });
  });

  test('one client under two tokens is one database', async () => {
    const alias: Provider = { provide: 'ALIAS', useExisting: 'SQLITE' };
    const origin = await start({ HEALTH_CHECKS: undefined }, { providers: [sqlite(), alias] });
    expect(await checksOf(origin)).toEqual(healthy);
  });

  test('none: health.E003 says which setting to change', async () => {
    const origin = await start({ HEALTH_CHECKS: undefined });
    const { status, body } = await get(`${origin}/__heartbeat__`);
    expect(status).toBe(500);
    expect(body).toMatchObject({
      details: {
        check_database_connected: { messages: { 'health.E003': expect.stringContaining('set db') } },
      },
    });
  });

  test('providers that throw when looked at, or are made per request, are passed over', async () => {
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
    const origin = await start(
      { HEALTH_CHECKS: undefined },
      { providers: [{ provide: 'SHY', useValue: shy }, PerRequest] },
    );
    expect(await checksOf(origin)).toMatchObject({ check_database_connected: 'error' });
  });

  test('a token that nobody provides is refused at start', async () => {
    const app = await create({ HEALTH_CHECKS: undefined, db: 'KNEX' });
    const refused = app.init();
    await expect(refused).rejects.toMatchObject({ code: 'LIFESIGN_CONTAINER' });
    await expect(refused).rejects.toThrow('db has "KNEX"');
  });

  test('a token of something that is no database is refused at start', async () => {
    const parts = { providers: [{ provide: 'KNEX', useValue: { select() {} } }] };
    const app = await create({ HEALTH_CHECKS: undefined, db: 'KNEX' }, parts);
    await expect(app.init()).rejects.toMatchObject({ code: 'LIFESIGN_CLIENT' });
  });
});

describe('redis', () => {
  const dead = () => {
    const redis = new Redis({ port: 1, lazyConnect: true, retryStrategy: () => null });
    redis.on('error', () => {});
    return redis;
  };

  test('a client, or the token of one, is checked by default', async () => {
    const db = { HEALTH_CHECKS: undefined, db: new Database(':memory:') };
    const token: Provider = { provide: 'CACHE', useValue: dead() };
    for (const origin of [
      await start({ ...db, redis: dead() }),
      await start({ ...db, redis: 'CACHE' }, { providers: [token] }),
    ]) {
      expect(await get(`${origin}/__heartbeat__`)).toMatchObject({
        status: 500,
        body: { checks: { check_database_connected: 'ok', check_redis_connected: 'error' } },
      });
    }
  });
});

describe('a shutdown', () => {
  test('by a signal: drains first, then Nest closes', async () => {
    const app = await create({ drain: { delay: 300, failLbheartbeat: true } });
    const origin = await listen(app);
    const closed = shutdown(app, 'SIGTERM');
    await expect.poll(() => records.some(({ msg }) => msg?.startsWith('Draining (SIGTERM)'))).toBe(true);
    const response = await fetch(`${origin}/__lbheartbeat__`);
    expect([response.status, response.headers.get('connection')]).toEqual([503, 'close']);
    expect((await fetch(`${origin}/__version__`)).status).toBe(404);
    await closed;
    await expect(fetch(`${origin}/__lbheartbeat__`)).rejects.toThrow();
  });

  test('by close(): ends at once', async () => {
    const app = await create({ drain: { delay: 60_000 } }, { adapter: () => new FastifyAdapter() });
    await listen(app);
    await app.close();
    expect(records.some(({ msg }) => msg?.startsWith('Draining'))).toBe(false);
  });
});

test.each(platforms)('$platform: uid gets the request that guards get', async ({ adapter }) => {
  const seen: unknown[] = [];
  const asked: unknown[] = [];
  const uid = (request: NestRequest & { session?: { userId: string } }) => {
    asked.push(request);
    return request.session?.userId;
  };
  const app = await create({ uid: uid }, { adapter });
  app.useGlobalGuards({
    canActivate(context: ExecutionContext) {
      const request = context.switchToHttp().getRequest<object>();
      seen.push(request);
      Object.assign(request, { session: { userId: 'ada' } });
      return true;
    },
  });
  const origin = await listen(app);
  expect((await fetch(`${origin}/orders`)).status).toBe(200);
  await fetch(`${origin}/__lbheartbeat__`);
  expect((await summaries(2)).map(({ fields }) => fields['uid'])).toEqual(['ada', '']);
  expect(seen).toHaveLength(1);
  expect(asked).toContain(seen[0]);
});
