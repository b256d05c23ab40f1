import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { type INestApplication, Inject, Injectable, type MiddlewareConsumer, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthIndicatorService, MemoryHealthIndicator, TerminusModule } from '@nestjs/terminus';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { LogRecord } from 'lifesign';
import { toCheck } from '../../src/frameworks/nestjs/checks.js';
import { Health, HealthCheck, HealthMiddleware, HealthModule, type NestSettings } from 'lifesign/nestjs';

const open: INestApplication[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((app) => app.close()));
});

/** An indicator as the documentation of @nestjs/terminus writes it. */
class DogHealthIndicator {
  static mood: 'up' | 'degraded' | 'down' = 'up';
  readonly indicators: HealthIndicatorService;
  constructor(indicators: HealthIndicatorService) {
    this.indicators = indicators;
  }
  async isHealthy(key: string) {
    const indicator = this.indicators.check(key);
    if (DogHealthIndicator.mood === 'up') return indicator.up();
    if (DogHealthIndicator.mood === 'degraded') return indicator.degraded('sleepy');
    return indicator.down({ message: 'ran away, password=hunter2' });
  }
}
Inject(HealthIndicatorService)(DogHealthIndicator, undefined, 0);
Injectable()(DogHealthIndicator);

async function heartbeat(
  settings: Partial<NestSettings> | ((memory: MemoryHealthIndicator) => Partial<NestSettings>),
) {
  const base: NestSettings = {
    BASE_DIR: tmpdir(),
    DEBUG: true,
    summary: false,
    logger: { log() {} },
  };
  class AppModule {
    configure(consumer: MiddlewareConsumer) {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  const health =
    typeof settings === 'function'
      ? HealthModule.forRootAsync({
          imports: [TerminusModule],
          inject: [MemoryHealthIndicator],
          useFactory: (memory: MemoryHealthIndicator) => ({ ...base, ...settings(memory) }),
        })
      : HealthModule.forRoot({ ...base, ...settings });
  Module({ imports: [TerminusModule, health], providers: [DogHealthIndicator, Cat, Bad] })(AppModule);
  const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
  open.push(app);
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
  const reply = await fetch(`http://127.0.0.1:${port}/__heartbeat__`);
  const body = (await reply.json()) as unknown;
  if (app.get(Health).options.page) {
    const page = await fetch(`http://127.0.0.1:${port}/__health__`);
    return { status: reply.status, body, page: await page.text() };
  }
  return { status: reply.status, body };
}

const reportOf = (name: string, status: string, level: number, messages: object) => ({
  status,
  checks: { [name]: status },
  details: { [name]: { status, level, messages } },
});

test.each([
  ['up', 200, { status: 'ok', checks: { DogHealthIndicator: 'ok' }, details: {} }],
  [
    'degraded',
    500,
    reportOf('DogHealthIndicator', 'warning', 30, {
      'health.E020': 'DogHealthIndicator is degraded: sleepy',
    }),
  ],
  [
    'down',
    500,
    reportOf('DogHealthIndicator', 'error', 40, {
      'health.E020': 'DogHealthIndicator is down: ran away, password=***',
    }),
  ],
] as const)('an indicator that is %s', async (mood, status, body) => {
  DogHealthIndicator.mood = mood;
  expect(await heartbeat({ HEALTH_CHECKS: [DogHealthIndicator] })).toEqual({ status, body });
});

describe('the data of an indicator', () => {
  const data = {
    badboys: 1,
    reason: 'no food',
    password: 'hunter2',
    nested: { deep: [1, 2] },
    gone: undefined,
    error: new Error('E'),
  };

  test.each([
    [
      'without a message',
      {},
      'dog is down: E (badboys: 1, reason: no food, password: ***, nested: {"deep":[1,2]}, gone: undefined)',
    ],
    ['with one', { message: 'ran away' }, 'dog is down: ran away (error: E, badboys: 1, reason: no food,'],
  ])('%s is in the message, in the fields of the log and on the page', async (_, more, text) => {
    const records: LogRecord[] = [];
    const check = () => ({ dog: { status: 'down' as const, ...data, ...more } });
    const { body, page } = await heartbeat({
      HEALTH_CHECKS: [{ dog: check }],
      page: true,
      logger: { log: (record: LogRecord) => void records.push(record) },
    });
    expect(body).toMatchObject({
      details: { dog: { messages: { 'health.E020': expect.stringContaining(text) } } },
    });
    expect(records[0]?.fields).toMatchObject({
      badboys: 1,
      reason: 'no food',
      password: '***',
      nested: '{"deep":[1,2]}',
      check: 'dog',
      ...more,
    });
    expect(page).toContain('badboys: 1, reason: no food');
    expect(JSON.stringify([body, records, page])).not.toContain('hunter2');
  });

  test('as HealthIndicatorService gives it', async () => {
    const { body } = await heartbeat({ HEALTH_CHECKS: [Bad] });
    expect(body).toMatchObject({
      details: { Bad: { messages: { 'health.E020': 'Bad is down: badboys: 1, reason: no food' } } },
    });
  });

  test('whatever it is, breaks neither the report nor the log', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.anything()), async (given) => {
        const messages = toCheck(() => ({ dog: { ...given, status: 'down' as const } }))(undefined as never);
        const [message] = messages as readonly { text: string; fields: Record<string, unknown> }[];
        expect(message?.text).toMatch(/^dog is down/);
        for (const value of Object.values(message?.fields ?? {})) expect(Object(value)).not.toBe(value);
      }),
    );
  });
});

class Bad extends DogHealthIndicator {
  override async isHealthy(key: string) {
    return this.indicators.check(key).down({ badboys: 1, reason: 'no food' }) as never;
  }
}
Injectable()(Bad);

class Cat extends DogHealthIndicator {}
HealthCheck('cat')(Cat);

test('an indicator goes by the name it is given', async () => {
  DogHealthIndicator.mood = 'down';
  expect((await heartbeat({ HEALTH_CHECKS: [Cat] })).body).toMatchObject({ checks: { cat: 'error' } });
});

test('the indicators that come with @nestjs/terminus, in functions', async () => {
  const { body } = await heartbeat((memory) => ({
    HEALTH_CHECKS: [
      function plenty() {
        return memory.checkHeap('heap', 2 ** 40);
      },
      function little() {
        return memory.checkHeap('heap', 1);
      },
    ],
  }));
  expect(body).toMatchObject({
    checks: { plenty: 'ok', little: 'error' },
    details: { little: { messages: { 'health.E020': expect.stringContaining('heap is down') } } },
  });
});

function legacy(): never {
  throw Object.assign(new Error('Dogcheck failed'), {
    causes: { dog: { status: 'down', error: 'ran away' } },
  });
}

test('an indicator of @nestjs/terminus 10, which throws its result', async () => {
  const { body } = await heartbeat({ HEALTH_CHECKS: [legacy] });
  expect(body).toMatchObject({
    details: { legacy: { messages: { 'health.E020': 'dog is down: ran away' } } },
  });
});

async function broken(): Promise<never> {
  throw new Error('not an indicator');
}

test('any other error stays health.E011', async () => {
  const { body } = await heartbeat({ HEALTH_CHECKS: [broken] });
  expect(body).toMatchObject({ details: { broken: { messages: { 'health.E011': expect.any(String) } } } });
});
