import fastifySwagger from '@fastify/swagger';
import { Validator } from '@seriousme/openapi-schema-validator';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { Health } from 'lifesign/fastify';
import openapi from '../../schemas/openapi.json' with { type: 'json' };

const mistakes = async (document: object) => (await new Validator().validate({ ...document })).errors ?? [];

test('the description is one of OpenAPI', async () => {
  expect(await mistakes(openapi)).toEqual([]);
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
