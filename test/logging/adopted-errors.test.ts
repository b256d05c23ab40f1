import { inspect } from 'node:util';
import Fastify from 'fastify';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import winston from 'winston';
import { logConfig, type LoggerLike, winstonConfig } from 'lifesign/logging';
import { adoptLogger, Sink } from './own-records.js';

const secret = 'hunter2SECRETxyz';

const { format, transports } = winston;
const winstonWith = (sink: Sink, ...formats: Parameters<typeof format.combine>) =>
  winston.createLogger({
    format: format.combine(...formats),
    transports: [new transports.Stream({ stream: sink })],
  });

/** Every kind of logger that is adopted, with formats of its own and of ours. */
const loggers: Readonly<Record<string, (sink: Sink) => LoggerLike>> = {
  'pino()': (sink) => pino(sink),
  'pino with causes': (sink) => pino({ serializers: { err: pino.stdSerializers.errWithCause } }, sink),
  'pino(logConfig())': (sink) => pino(logConfig(), sink),
  Fastify: (sink) => Fastify({ logger: { stream: sink } }).log,
  'winston json': (sink) => winstonWith(sink, format.json()),
  'winston errors and json': (sink) => winstonWith(sink, format.errors({ stack: true }), format.json()),
  'winston prettyPrint': (sink) => winstonWith(sink, format.prettyPrint()),
  'winston simple': (sink) => winstonWith(sink, format.simple()),
  'winstonConfig()': (sink) =>
    winston.createLogger({ ...winstonConfig(), transports: [new transports.Stream({ stream: sink })] }),
  'like pino, printing all it can find': (sink) => {
    const write = (...args: unknown[]) =>
      void sink.write(`${inspect(args, { showHidden: true, depth: 20 })}\n`);
    return { child() {}, info: write, warn: write, error: write, debug: write };
  },
};

const record = (error: unknown) => ({
  logger: 'health.checks',
  level: 40 as const,
  time: Date.now(),
  fields: { check: 'db' },
  msg: 'health.E011: down',
  error,
});

class HttpError extends Error {
  readonly config = {
    headers: { Authorization: `Bearer ${secret}` },
    data: { deep: [{ password: secret }] },
  };
  readonly code = 'E_HTTP';
  readonly #own = secret;
  toJSON(): object {
    return { config: this.config, own: this.#own };
  }
}

/** Those that show members of an error beside its text. */
const withCode = /^pino\(\)|^winston (?:json|errors|pretty)/;

describe.each(Object.entries(loggers))('%s', (name, make) => {
  it('has message, stack and code of an error, and no secret', async () => {
    const sink = new Sink();
    const error = Object.assign(
      new HttpError('the door is shut', { cause: new Error(`redis://:${secret}@cache`) }),
      {
        command: { name: 'auth', args: [secret] },
        input: `postgres://app:${secret}@db`,
        sql: `insert into users values ('${secret}')`,
        token: secret,
      },
    );
    adoptLogger(make(sink)).log(record(error));
    await new Promise(setImmediate);
    expect(sink.text).not.toContain(secret);
    expect(sink.text).toContain('the door is shut');
    expect(sink.text).toMatch(/adopted-errors\.test\.ts/);
    if (withCode.test(name)) expect(sink.text).toContain('E_HTTP');
  });
});
