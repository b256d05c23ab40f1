import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonLogFormatter, winstonFormat } from 'lifesign/logging';
import { parseLine } from './schemas.js';

const refuse = (): never => {
  throw new Error('no');
};

/** Values that throw wherever they are touched. fast-check cannot hold them, so they are made of a name. */
const hostile: Readonly<Record<string, () => unknown>> = {
  proxy: () => new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse }),
  'proxy of a function': () => new Proxy(refuse, { get: refuse, apply: refuse, getPrototypeOf: refuse }),
  'proxy of an error': () => new Proxy(new Error('x'), { get: refuse, getPrototypeOf: refuse }),
  'proxy of a list': () => new Proxy([1], { get: refuse }),
  'proxy with keys': () => new Proxy({ a: 1 }, { get: refuse }),
  revoked: () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  'revoked list': () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    return proxy;
  },
  getters: () =>
    Object.defineProperties(
      {},
      Object.fromEntries(
        ['msg', 'message', 'stack', 'name', 'toString', 'toJSON', 'logger', 'level', 'x'].map((key) => [
          key,
          { get: refuse, enumerable: true },
        ]),
      ),
    ),
  'no text': () => ({ toString: refuse, valueOf: refuse, toJSON: refuse, [Symbol.toPrimitive]: refuse }),
  'no prototype': () => Object.create(null),
  symbol: () => Symbol('s'),
  bigint: () => 10n,
  NaN: () => NaN,
  Infinity: () => Infinity,
  minus: () => -1,
  fraction: () => 1.5,
  null: () => null,
  undefined: () => undefined,
  __proto__: () => '__proto__',
};
const odd = fc.oneof(
  fc.constantFrom(...Object.keys(hostile)).map((name) => ({ name })),
  fc
    .anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true })
    .map((value) => ({ value })),
);
type Odd = { readonly name: string } | { readonly value: unknown };
const made = (one: Odd): unknown => ('name' in one ? hostile[one.name]?.() : one.value);

/** The summary has a schema of its own, which arbitrary fields cannot fit. */
const line = (text: string) => parseLine(text.replace('"Type":"request.summary"', '"Type":"x"'));

describe('callers without types get one valid line', () => {
  it('JsonLogFormatter, whatever the record is', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(odd, odd, odd, odd, odd, odd, (logger, level, time, fields, msg, error) => {
        const formatter = new JsonLogFormatter({ loggerName: 'acme' });
        const record = {
          logger: made(logger),
          level: made(level),
          time: made(time),
          fields: made(fields),
          msg: made(msg),
          error: made(error),
        };
        line(formatter.format(record as never));
        line(formatter.format(made(fields) as never));
        // Nothing of a bad record stays behind.
        const good = { logger: 'billing', level: 20, time: 1, fields: { a: 1 } };
        expect(line(formatter.format(good))).toMatchObject({
          Type: 'billing',
          Severity: 6,
          Fields: { a: 1 },
        });
      }),
      { numRuns: 500 },
    );
  });

  it('JsonLogFormatter, whatever the options are', () => {
    fc.assert(
      fc.property(odd, odd, odd, (loggerName, hostname, pid) => {
        const options = { loggerName: made(loggerName), hostname: made(hostname), pid: made(pid) };
        const formatter = new JsonLogFormatter(options as never);
        line(formatter.format({ logger: 'x', level: 20, time: 1, fields: {} }));
      }),
      { numRuns: 500 },
    );
    for (const name of Object.keys(hostile)) {
      const value: unknown = hostile[name]?.();
      const options = { loggerName: value, hostname: value, pid: value } as never;
      line(new JsonLogFormatter(options).format({ logger: 'x', level: 20, time: 1, fields: {} }));
    }
    line(new JsonLogFormatter(null as never).format(null as never));
  });

  it('winstonFormat', () => {
    for (const make of Object.values(hostile)) {
      const info: Record<string | symbol, unknown> = {
        level: make(),
        message: make(),
        error: make(),
        x: make(),
      };
      winstonFormat().transform(info);
      line(String(info[Symbol.for('message')]));
    }
  });
});
