// The line of docs/nestjs.md that gives nestjs-pino the id of lifesign. It takes NestJS 11 and no newer one yet.
import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { All, Controller, type MiddlewareConsumer, Module, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { LoggerModule, PinoLogger } from 'nestjs-pino';
import { onTestFinished, test } from 'vitest';
import { HealthMiddleware, HealthModule, requestId } from 'lifesign/nestjs';
import { expectOneId, lines } from '../../http/logger-ids.js';
import { collect } from '../../http/serving.js';

const platforms = [
  { platform: 'Express', adapter: () => new ExpressAdapter() },
  { platform: 'Fastify', adapter: () => new FastifyAdapter() },
];

/** The modules in both orders: which middleware comes first must not matter. */
const cases = platforms.flatMap((one) => [
  { ...one, order: 'before', first: true },
  { ...one, order: 'after', first: false },
]);

test.each(cases)(
  'nestjs-pino $order HealthModule, $platform: one id in every line',
  async ({ adapter, first }) => {
    const { logger, summaries } = collect();
    const written: string[] = [];
    class Orders {
      answer(request: { readonly id: string }) {
        new PinoLogger({}).info('in the handler');
        return request.id;
      }
    }
    Controller('orders')(Orders);
    const answer = Reflect.getOwnPropertyDescriptor(Orders.prototype, 'answer') ?? {};
    All(':id')(Orders.prototype, 'answer', answer);
    Req()(Orders.prototype, 'answer', 0);
    const pino = LoggerModule.forRoot({ pinoHttp: [{ genReqId: () => requestId() ?? '' }, lines(written)] });
    const health = HealthModule.forRoot({
      BASE_DIR: tmpdir(),
      DEBUG: true,
      HEALTH_CHECKS: [],
      logger,
    });
    class AppModule {
      configure(consumer: MiddlewareConsumer) {
        consumer.apply(HealthMiddleware).forRoutes('{*path}');
      }
    }
    Module({ imports: first ? [pino, health] : [health, pino], controllers: [Orders] })(AppModule);
    const app = await NestFactory.create(AppModule, adapter(), {
      logger: false,
      abortOnError: false,
      forceCloseConnections: true,
    });
    onTestFinished(() => app.close());
    await app.listen(0, '127.0.0.1');
    const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
    await expectOneId(`http://127.0.0.1:${port}`, written, summaries);
  },
);
