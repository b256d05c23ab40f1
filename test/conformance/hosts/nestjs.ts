import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  type INestApplication,
  type MiddlewareConsumer,
  Module,
  NotFoundException,
  Post,
  StreamableFile,
} from '@nestjs/common';
import { type AbstractHttpAdapter, HttpAdapterHost, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Health, HealthMiddleware, HealthModule, type NestSettings, requestId } from 'lifesign/nestjs';
import { endless, type Host, prepare, type Setup } from '../host.js';
import { settingsOf } from '../settings-of.js';

class AppController {
  hello() {
    return { hello: 'world' };
  }
  rid() {
    return { rid: requestId() };
  }
  boom() {
    throw new Error('boom from app');
  }
  stream() {
    return new StreamableFile(Readable.from(endless(), { objectMode: false }));
  }
  echo() {
    return { posted: true };
  }
}
Controller()(AppController);
on('hello', Get());
on('rid', Get('rid'));
on('boom', Get('boom'));
on('stream', Get('stream'));
on('echo', Post('echo'));

/** Decorators called as functions: the tests run without a compiler that knows Nest's kind. */
function on(name: keyof AppController, decorate: MethodDecorator): void {
  decorate(
    AppController.prototype,
    name,
    Reflect.getOwnPropertyDescriptor(AppController.prototype, name) ?? {},
  );
}

class NotFoundFilter implements ExceptionFilter {
  readonly adapter: AbstractHttpAdapter;
  constructor(adapter: AbstractHttpAdapter) {
    this.adapter = adapter;
  }
  catch(_exception: NotFoundException, host: ArgumentsHost) {
    this.adapter.reply(host.switchToHttp().getResponse(), { application: 'not found' }, 404);
  }
}
Catch(NotFoundException)(NotFoundFilter);

/** A Nest application as a user writes it: two lines in its module. */
async function nestApp(adapter: AbstractHttpAdapter, settings: NestSettings): Promise<INestApplication> {
  class AppModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  Module({ imports: [HealthModule.forRoot(settings)], controllers: [AppController] })(AppModule);
  const app = await NestFactory.create(AppModule, adapter, {
    logger: false,
    abortOnError: false,
    forceCloseConnections: true,
  });
  app.useGlobalFilters(new NotFoundFilter(app.get(HttpAdapterHost).httpAdapter));
  return app;
}

const host = (name: string, adapter: () => AbstractHttpAdapter): Host => ({
  name,
  async start(setup: Setup) {
    const { settings, records } = settingsOf(setup);
    const app = await nestApp(adapter(), settings);
    const health = app.get(Health);
    prepare(health, setup);
    await app.listen(0, '127.0.0.1');
    const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
    return { origin: `http://127.0.0.1:${port}`, port, health, records, close: () => app.close() };
  },
});

export const nestHosts: readonly Host[] = [
  host('NestJS on Express', () => new ExpressAdapter()),
  host('NestJS on Fastify', () => new FastifyAdapter()),
];
