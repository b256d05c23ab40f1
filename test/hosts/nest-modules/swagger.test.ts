import 'reflect-metadata';
import { type MiddlewareConsumer, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, onTestFinished, test } from 'vitest';
import { HealthMiddleware, HealthModule } from 'lifesign/nestjs';
import openapi from '../../../schemas/openapi.json' with { type: 'json' };
import { compile } from '../../examples/tsx-app.js';

const mistakes = async (document: object) => (await new Validator().validate({ ...document })).errors ?? [];

test('@nestjs/swagger serves it with the application’s own', async () => {
  class AppModule {
    configure(consumer: MiddlewareConsumer): void {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  Module({ imports: [HealthModule.forRoot({ BASE_DIR: '.', HEALTH_CHECKS: [], logger: false })] })(AppModule);
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

test('this folder compiles', async () => {
  await compile(import.meta.dirname);
});
