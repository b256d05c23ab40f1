import 'reflect-metadata';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import * as grpc from '@grpc/grpc-js';
import { type DynamicModule, type INestApplication, type MiddlewareConsumer, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthIndicatorService, MemoryHealthIndicator, TerminusModule } from '@nestjs/terminus';
import { HealthImplementation } from 'grpc-health-check';
import mongoose, { type Connection } from 'mongoose';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { checks, HealthMiddleware, HealthModule as LifesignModule, type NestSettings } from 'lifesign/nestjs';
import { mongoServer } from '../../checks/mongo-server.js';
import { freePort } from '../../services/port.js';
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
}

/** An application in the shape of the guide, and its heartbeats. */
async function start(make: (memory: MemoryHealthIndicator) => App) {
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
  Module({ imports: [HealthModule, health] })(AppModule);
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
  it('all that fit into one application', async () => {
    let status = 200;
    const web = await portOf(createServer((_req, res) => res.writeHead(status).end()));
    const statuses = new HealthImplementation({ 'hero.health.v1': 'SERVING' });
    const server = new grpc.Server();
    onTestFinished(() => server.forceShutdown());
    statuses.addToServer(server);
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, at) =>
        error ? reject(error) : resolve(at),
      );
    });
    const silent = await portOf(createTcpServer(() => {}));
    const url = `http://127.0.0.1:${web}/`;
    const beat = await start(() => ({
      checks: {
        docs: checks.http(url),
        response: checks.http(url, { accepts: (code) => code === 200 }),
        storage: checks.disk({ path: '/', error: 1 }),
        memory_rss: checks.memory({ limit: 2 ** 40, error: 1 }),
        tcp: checks.tcp('127.0.0.1', silent),
        hero_service: checks.grpc(new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure()), {
          service: 'hero.health.v1',
        }),
      },
    }));
    expect((await beat()).ids).toEqual([]);
    status = 500;
    statuses.setStatus('hero.health.v1', 'NOT_SERVING');
    expect((await beat()).ids).toEqual(['health.E015', 'health.E015', 'health.E026']);
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
});

it('the guide has the rows that were followed', () => {
  const page = readFileSync(new URL('../../../docs/migrating.md', import.meta.url), 'utf8');
  for (const row of [
    '`docs: checks.http(url)`',
    '`storage: checks.disk({ path: ',
    '`memory_rss: checks.memory({ limit: bytes, error: 1 })`',
    '`mongodb: checks.mongo(connection)`',
    '`tcp: checks.tcp(host, port)`',
    '`hero_service: checks.grpc(new Client(url, credentials.createInsecure()), { service: ',
    'HealthModule as LifesignModule',
  ]) {
    expect(page).toContain(row);
  }
});
