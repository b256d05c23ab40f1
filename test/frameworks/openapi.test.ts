import 'reflect-metadata';
import fastifySwagger from '@fastify/swagger';
import { type MiddlewareConsumer, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { Health } from '../../src/frameworks/fastify/index.js';
import { HealthMiddleware, HealthModule } from '../../src/frameworks/nestjs/index.js';
import openapi from '../../schemas/openapi.json' with { type: 'json' };

const mistakes = async (document: object) => (await new Validator().validate({ ...document })).errors ?? [];

test('the description is one of OpenAPI', async () => {
  expect(await mistakes(openapi)).toEqual([]);
});

test('@nestjs/swagger serves it with the application’s own', async () => {
  class AppModule {
    configure(consumer: MiddlewareConsumer): void {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  Module({ imports: [HealthModule.forRoot({ BASE_DIR: '.', HEALTH_CHECKS: [], HEALTH_LOGGER: false })] })(
    AppModule,
  );
  const app = await NestFactory.create(AppModule, new ExpressAdapter(), { logger: false });
  onTestFinished(() => app.close());
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().setTitle('shop').build());
  Object.assign(document.paths, openapi.paths);
  SwaggerModule.setup('docs', app, document);
  await app.listen(0, '127.0.0.1');
  const served: typeof openapi = await (await fetch(`${await app.getUrl()}/docs-json`)).json();
  expect(await mistakes(served)).toEqual([]);
  expect(served.paths).toEqual(openapi.paths);
  expect(served.info.title).toBe('shop');
});

test('@fastify/swagger serves it with the application’s own', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  const health = new Health(app, { logger: false });
  onTestFinished(() => health.close());
  const paths: Record<string, object> = { ...openapi.paths };
  await app.register(fastifySwagger, { openapi: { info: { title: 'shop', version: '1.0.0' }, paths } });
  app.get('/orders', { schema: { response: { 200: { type: 'string' } } } }, () => 'none');
  await app.ready();
  const document = app.swagger();
  expect(await mistakes(document)).toEqual([]);
  expect(document.paths).toMatchObject({ ...openapi.paths, '/orders': { get: {} } });
  expect(openapi.paths).not.toHaveProperty('/orders');
});
