import 'reflect-metadata';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { type INestApplication, type MiddlewareConsumer, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { io } from 'socket.io-client';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { HealthMiddleware, HealthModule } from 'lifesign/nestjs';
import { until } from '../core/waiting.js';

class Gateway {
  echo(_client: unknown, data: unknown) {
    return { event: 'echo', data };
  }
}
WebSocketGateway()(Gateway);
const echo = Reflect.getOwnPropertyDescriptor(Gateway.prototype, 'echo') ?? {};
SubscribeMessage('echo')(Gateway.prototype, 'echo', echo);

/** An application with a gateway; a drain that waits for its timeout never ends. */
async function start(
  platform: () => ExpressAdapter | FastifyAdapter,
  adapter: typeof WsAdapter | typeof IoAdapter,
) {
  const said: string[] = [];
  const settings = {
    BASE_DIR: tmpdir(),
    HEALTH_CHECKS: [],
    drain: { timeout: 600_000 },
    logger: { log: ({ msg = '' }: { msg?: string }) => void said.push(msg) },
  };
  class AppModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  Module({ imports: [HealthModule.forRoot(settings)], providers: [Gateway] })(AppModule);
  const app = await NestFactory.create(AppModule, platform(), { logger: false, abortOnError: false });
  app.useWebSocketAdapter(new adapter(app));
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, port, said };
}

/** What Nest does for a signal with `enableShutdownHooks()`. */
function shutdown(app: INestApplication): Promise<void> {
  return (app as unknown as Record<'close', (signal?: string) => Promise<void>>).close('SIGTERM');
}

describe.each([
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
] as const)('gateways on %s', (_name, platform) => {
  test('of the WsAdapter are closed with 1001', async () => {
    const { app, port, said } = await start(platform, WsAdapter);
    const client = new WebSocket(`ws://127.0.0.1:${port}`);
    const ended = once(client, 'close');
    await once(client, 'open');
    const answered = once(client, 'message');
    client.send(JSON.stringify({ event: 'echo', data: 'hello' }));
    expect(String((await answered)[0])).toBe('{"event":"echo","data":"hello"}');
    await shutdown(app);
    expect((await ended)[0]).toBe(1001);
    expect(said.filter((line) => line.includes('cut'))).toEqual([]);
    expect(said).toContain('Drained: the framework ends the process');
  });

  test('of the IoAdapter are closed so that clients reconnect', async () => {
    const { app, port, said } = await start(platform, IoAdapter);
    const client = io(`http://127.0.0.1:${port}`, { transports: ['websocket'], reconnection: false });
    await new Promise<void>((resolve) => void client.once('connect', resolve));
    const reasons: string[] = [];
    client.on('disconnect', (reason) => reasons.push(reason));
    await shutdown(app);
    await until(() => reasons.length === 1);
    expect(reasons).toEqual(['transport close']);
    expect(said.filter((line) => line.includes('cut'))).toEqual([]);
  });
});
