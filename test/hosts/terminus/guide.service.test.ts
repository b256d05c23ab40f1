import 'reflect-metadata';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import * as grpc from '@grpc/grpc-js';
import { EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import {
  type DynamicModule,
  type INestApplication,
  type MiddlewareConsumer,
  Module,
  type Provider,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Transport } from '@nestjs/microservices';
import { HealthIndicatorService, MemoryHealthIndicator, TerminusModule } from '@nestjs/terminus';
import { HealthImplementation } from 'grpc-health-check';
import mongoose, { type Connection } from 'mongoose';
import { Sequelize } from 'sequelize';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checks, HealthMiddleware, HealthModule as LifesignModule, type NestSettings } from 'lifesign/nestjs';
import { mongoServer } from '../../checks/mongo-server.js';
import { canStart, startService } from '../../services/index.js';
import { freePort } from '../../services/port.js';
import type { RunningService } from '../../services/service.js';
import { until } from './say.js';

const open: INestApplication[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
});

/** The module of the application's own, as those of @nestjs/terminus have it. */
class HealthModule {
  readonly isTheirs = true;
}
Module({ imports: [TerminusModule], providers: [HealthIndicatorService] })(HealthModule);

interface App {
  readonly checks: NestSettings['HEALTH_CHECKS'];
  readonly providers?: readonly Provider[];
}

/** An application in the shape of the guide, and its heartbeats. */
async function start(make: (memory: MemoryHealthIndicator) => App) {
  const { providers = [] } = make(undefined as never);
  const health: DynamicModule = LifesignModule.forRootAsync({
    imports: [TerminusModule],
    inject: [MemoryHealthIndicator],
    useFactory: (memory: MemoryHealthIndicator) => ({
      BASE_DIR: tmpdir(),
      DEBUG: true,
      summary: false,
      timeout: 2000,
      logger: { log() {} },
      HEALTH_CHECKS: make(memory).checks,
    }),
  });
  class AppModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  Module({ imports: [HealthModule, health], providers: [...providers] })(AppModule);
  const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
  open.push(app);
  await app.listen(0, '127.0.0.1');
  const url = `${await app.getUrl()}/__heartbeat__`;
  return async () => {
    const answer = await fetch(url);
    const body: { checks: Record<string, string>; details: Record<string, { messages: object }> } =
      JSON.parse(await answer.text());
    const ids = Object.values(body.details).flatMap(({ messages }) => Object.keys(messages));
    return { status: answer.status, checks: body.checks, ids };
  };
}

const well = (name: string) => ({ status: 200, checks: { [name]: 'ok' }, ids: [] });
const ill = (name: string, id: string) => ({ status: 500, checks: { [name]: 'error' }, ids: [id] });

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}

describe('the indicators of @nestjs/terminus, by the rows of the guide', () => {
  it('http.pingCheck and http.responseCheck', async () => {
    let status = 200;
    const port = await portOf(createServer((_req, res) => res.writeHead(status).end()));
    const url = `http://127.0.0.1:${port}/`;
    const ping = await start(() => ({ checks: { docs: checks.http(url) } }));
    expect(await ping()).toEqual(well('docs'));
    const response = await start(() => ({
      checks: { docs: checks.http(url, { accepts: (code) => code === 204 }) },
    }));
    expect(await response()).toEqual(ill('docs', 'health.E015'));
    status = 204;
    expect(await response()).toEqual(well('docs'));
    status = 500;
    expect(await ping()).toEqual(ill('docs', 'health.E015'));
  });

  it('disk.checkStorage', async () => {
    const at = (error: number) => start(() => ({ checks: { storage: checks.disk({ path: '/', error }) } }));
    expect(await (await at(1))()).toEqual(well('storage'));
    expect(await (await at(1e-9))()).toEqual(ill('storage', 'health.E017'));
  });

  it('memory.checkRSS', async () => {
    const at = (limit: number) =>
      start(() => ({ checks: { memory_rss: checks.memory({ limit, error: 1 }) } }));
    expect(await (await at(2 ** 40))()).toEqual(well('memory_rss'));
    expect(await (await at(1))()).toEqual(ill('memory_rss', 'health.E018'));
  });

  it('memory.checkHeap, in a function', async () => {
    const at = (limit: number) =>
      start((memory) => ({ checks: { memory_heap: () => memory.checkHeap('memory_heap', limit) } }));
    expect(await (await at(2 ** 40))()).toEqual(well('memory_heap'));
    expect(await (await at(1))()).toEqual(ill('memory_heap', 'health.E020'));
  });

  it('mongoose.pingCheck', async () => {
    const to = (port: number) => {
      const connection: Connection = mongoose.createConnection(`mongodb://127.0.0.1:${port}/`, {
        serverApi: '1',
        serverMonitoringMode: 'poll',
        serverSelectionTimeoutMS: 3000,
      });
      connection.asPromise().catch(() => {});
      onTestFinished(async () => connection.close(true));
      return start(() => ({ checks: { mongodb: checks.mongo(connection) } }));
    };
    const up = await to(await portOf(mongoServer()));
    await until(async () => (await up()).status === 200, 'mongoose is connected');
    expect(await up()).toEqual(well('mongodb'));
    expect(await (await to(await freePort()))()).toEqual(ill('mongodb', 'health.E021'));
  });

  it('microservice.pingCheck', async () => {
    class Empty {}
    Module({})(Empty);
    const port = await freePort();
    const options = { host: '127.0.0.1', port };
    const service = await NestFactory.createMicroservice(Empty, {
      transport: Transport.TCP,
      options,
      logger: false,
    });
    await service.listen();
    const beat = await start(() => ({
      checks: {
        tcp: checks.tcp(options.host, options.port),
      },
    }));
    expect(await beat()).toEqual(well('tcp'));
    await service.close();
    expect(await beat()).toEqual(ill('tcp', 'health.E016'));
  });

  it('grpc.checkService', async () => {
    const server = new grpc.Server();
    onTestFinished(() => server.forceShutdown());
    const statuses = new HealthImplementation({ 'hero.health.v1': 'SERVING' });
    statuses.addToServer(server);
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, at) =>
        error ? reject(error) : resolve(at),
      );
    });
    const beat = await start(() => ({
      checks: {
        hero_service: checks.grpc({ grpc, address: `127.0.0.1:${port}` }, { service: 'hero.health.v1' }),
      },
    }));
    expect(await beat()).toEqual(well('hero_service'));
    statuses.setStatus('hero.health.v1', 'NOT_SERVING');
    expect(await beat()).toEqual(ill('hero_service', 'health.E026'));
  });

  it('a timeout of one check', async () => {
    const port = await portOf(createTcpServer(() => {}));
    const beat = await start(() => ({
      checks: [['docs', checks.http(`http://127.0.0.1:${port}/`), { timeout: 50 }]],
    }));
    expect(await beat()).toEqual(ill('docs', 'health.E012'));
  });
});

describe.skipIf(!canStart('postgres'))('the indicators of databases', () => {
  let server: RunningService;
  beforeAll(async () => {
    server = await startService('postgres');
  });
  afterAll(() => server?.stop());
  const settings = () => ({ host: '127.0.0.1', port: server.port, database: 'postgres' });

  it.each([
    [
      'TypeORM',
      async () => {
        const source = new DataSource({
          type: 'postgres',
          ...settings(),
          username: 'lifesign',
          poolErrorHandler: () => {},
        });
        await source.initialize();
        return { provider: { provide: DataSource, useValue: source }, close: () => source.destroy() };
      },
    ],
    [
      'Sequelize',
      async () => {
        const sequelize = new Sequelize({
          dialect: 'postgres',
          ...settings(),
          username: 'lifesign',
          logging: false,
        });
        return { provider: { provide: Sequelize, useValue: sequelize }, close: () => sequelize.close() };
      },
    ],
    [
      'MikroORM',
      async () => {
        const Thing = new EntitySchema({
          name: 'Thing',
          properties: { id: { type: 'number', primary: true } },
        });
        const { database, ...rest } = settings();
        const orm = MikroORM.initSync({
          ...rest,
          dbName: database,
          user: 'lifesign',
          entities: [Thing],
          logger: () => {},
        });
        return { provider: { provide: MikroORM, useValue: orm }, close: () => orm.close(true) };
      },
    ],
  ])('%s', async (_name, make) => {
    const { provider, close } = await make();
    onTestFinished(close);
    const beat = await start(() => ({
      providers: [provider],
      checks: { database: path },
    }));
    expect(await beat()).toEqual(well('database'));
    await server.kill();
    await until(async () => (await beat()).status === 500, 'the database is gone');
    await server.restart();
    await until(async () => (await beat()).status === 200, 'the database is back');
  });
});

const path = 'lifesign/checks.checkDatabaseConnected';

it('the guide has the rows that were followed', () => {
  const page = readFileSync(
    new URL('../../../docs/migrating-from-nestjs-terminus.md', import.meta.url),
    'utf8',
  );
  for (const row of [
    '`docs: checks.http(url)`',
    '`storage: checks.disk({ path: ',
    '`memory_rss: checks.memory({ limit: bytes, error: 1 })`',
    '`mongodb: checks.mongo(connection)`',
    '`tcp: checks.tcp(host, port)`',
    '`hero_service: checks.grpc({ grpc, address: url }, { service: ',
    'HealthModule as LifesignModule',
  ]) {
    expect(page).toContain(row);
  }
});
