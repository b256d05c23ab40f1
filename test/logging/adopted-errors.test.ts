import { inspect } from 'node:util';
import vm from 'node:vm';
import * as fc from 'fast-check';
import Fastify from 'fastify';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import winston from 'winston';
import { errorCopy } from '../../src/core/scrub/error-copy.js';
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

describe.each(Object.entries(loggers))('%s', (_name, make) => {
  it('has message and stack of an error, and no secret', async () => {
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
  });

  it('whatever the shape of the error', { timeout: 60_000 }, async () => {
    const sink = new Sink();
    const adopted = adoptLogger(make(sink));
    fc.assert(
      fc.property(recipes, (recipe) => {
        adopted.log(record(build(recipe)));
      }),
      { numRuns: 60 },
    );
    await new Promise(setImmediate);
    expect(sink.text).not.toContain(secret);
    expect(sink.text.split('health.E011: down').length - 1).toBeGreaterThanOrEqual(60);
  });
});

it.each(['pino()', 'winston json', 'winston errors and json', 'winston prettyPrint'])(
  '%s has the code',
  async (name) => {
    const sink = new Sink();
    const logger = loggers[name]?.(sink);
    if (logger !== undefined)
      adoptLogger(logger).log(record(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })));
    await new Promise(setImmediate);
    expect(sink.text).toContain('ECONNREFUSED');
  },
);

/** Texts in which a secret is marked as one, and values that may be anything under a name of any kind. */
const marked = fc.constantFrom(
  `postgres://app:${secret}@db`,
  `password=${secret}`,
  `Bearer ${secret}1`,
  'harmless',
);
const buried = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(secret, 1, true, null, undefined, [secret], new Map([[secret, secret]])),
    fc.dictionary(
      fc.constantFrom('config', 'headers', 'Authorization', 'args', 'data', 'toJSON', 'response'),
      tie('value'),
    ),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
})).value;
const names = fc.constantFrom(...'config command request password token apiKey input sql body x'.split(' '));

/** What an error is made of: fast-check itself cannot hold a proxy that throws. */
interface Recipe {
  readonly kind: string;
  readonly message: string;
  readonly own: Record<string, unknown>;
  readonly inner: Recipe | undefined;
  readonly loop: boolean;
}

const recipes: fc.Arbitrary<Recipe> = fc.letrec<{ recipe: Recipe }>((tie) => ({
  recipe: fc.record({
    kind: fc.constantFrom(
      ...'error type aggregate class realm frozen prototype getters proxy revoked plain'.split(' '),
    ),
    message: marked,
    own: fc.dictionary(names, buried, { maxKeys: 4 }),
    inner: fc.option(tie('recipe'), { maxDepth: 4, nil: undefined }),
    loop: fc.boolean(),
  }),
})).recipe;

function build({ kind, message, own, inner, loop }: Recipe): unknown {
  const error = makeError(kind, message, inner === undefined ? undefined : build(inner));
  try {
    Object.assign(error, own);
    if (loop) Object.assign(error, { cause: error });
    if (kind === 'frozen') Object.freeze(error);
  } catch {
    // A proxy that throws.
  }
  return error;
}

const refuse = (): never => {
  throw new Error('no');
};

function makeError(kind: string, message: string, cause: unknown): object {
  const error = new Error(message, cause === undefined ? {} : { cause });
  switch (kind) {
    case 'type':
      return new TypeError(message, { cause });
    case 'aggregate':
      return new AggregateError([cause, new Error(message)], message);
    case 'class':
      return new HttpError(message);
    case 'realm':
      return vm.runInNewContext(`Object.assign(new Error(${JSON.stringify(message)}), { code: 'E_REALM' })`);
    case 'prototype':
      return Object.setPrototypeOf(error, Object.assign(Object.create(Error.prototype), { config: secret }));
    case 'getters':
      for (const key of ['stack', 'message', 'name', 'code', 'cause', 'config']) {
        Object.defineProperty(error, key, { get: refuse, enumerable: true, configurable: true });
      }
      return error;
    case 'proxy':
      return new Proxy(error, {
        get: refuse,
        ownKeys: refuse,
        getPrototypeOf: refuse,
        getOwnPropertyDescriptor: refuse,
      });
    case 'revoked': {
      const { proxy, revoke } = Proxy.revocable(error, {});
      revoke();
      return proxy;
    }
    case 'plain':
      return { message, code: 1 };
    default:
      return error;
  }
}

describe('the copy of an error', () => {
  it('is bounded however much there is', () => {
    let deep: unknown = new Error('bottom');
    for (let depth = 0; depth < 10_000; depth += 1) deep = new Error('x'.repeat(5000), { cause: deep });
    const wide = new AggregateError(
      Array.from({ length: 10_000 }, () => deep),
      'y'.repeat(1_000_000),
    );
    const many = Object.assign(
      new Error('z'),
      Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i])),
    );
    for (const error of [deep, wide, many])
      expect(JSON.stringify(errorCopy(error)).length).toBeLessThan(400_000);
  });

  it('never throws, never turns in circles, never has a secret', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(recipes, (recipe) => {
        const copy = errorCopy(build(recipe));
        expect(`${JSON.stringify(copy)} ${inspect(copy, { depth: 20, showHidden: true })}`).not.toContain(
          secret,
        );
      }),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true }),
        (thrown) => void JSON.stringify(errorCopy(thrown)),
      ),
    );
  });
});
