import { createRequire } from 'node:module';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { Console } from 'node:console';
import bunyan from 'bunyan';
import { createConsola } from 'consola';
import log4js from 'log4js';
import loglevel from 'loglevel';
import { Logger as TsLogger } from 'tslog';
import { describe, expect, it, test, vi } from 'vitest';
import { createHandler, type LogRecord } from 'lifesign';
import type { LoggerLike } from 'lifesign/logging';

const adopt = (given: unknown) =>
  createHandler({ logger: given as LoggerLike, loggerName: 'acme' }).health.options.logger;
const time = Date.UTC(2026, 10, 16);
const request = (path: string, level: 20 | 40 = 20): LogRecord => ({
  logger: 'request.summary',
  level,
  time,
  fields: { method: 'GET', path, code: 200, t: 1 },
});
const thrown = new Error('100 %s of postgres://app:hunter2@db/app failed');
const records: readonly LogRecord[] = [
  request('/a'),
  request('/b'),
  request('/%s/c'),
  { ...request('/d', 40), error: thrown },
  { logger: 'health.checks', level: 10, time, fields: { check: 'db' }, msg: 'shop.D001: fine' },
  { logger: 'health.checks', level: 30, time, fields: { check: 'db' }, msg: 'shop.W001: slow' },
  { logger: 'health.checks', level: 50, time, fields: { check: 'db' }, msg: 'shop.C001: gone' },
];

/** What a logger wrote: an entry for each record. */
type Written = { readonly level: string; readonly text: string }[];
type Make = (written: Written) => LoggerLike;

function sink(take: (text: string) => void): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk));
      done();
    },
  });
}

const bunyanLevels: Readonly<Record<number, string>> = {
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
const bunyanOf: Make = (written) =>
  bunyan.createLogger({
    name: 'shop',
    level: 'debug',
    stream: sink((text) => written.push({ level: bunyanLevels[JSON.parse(text).level] ?? '', text })),
  });

const consoleOf: Make = (written) => {
  const write = (level: string) => sink((text) => written.push({ level, text }));
  const own = new Console(write('out'), write('err'));
  return own;
};

const tslogOf = (written: Written) => {
  const logger = new TsLogger<object>({ type: 'hidden' });
  logger.attachTransport((record) => {
    const { _meta, ...rest } = record;
    written.push({ level: String(_meta?.logLevelName).toLowerCase(), text: JSON.stringify(rest) });
  });
  return logger;
};

const consolaOf = (written: Written) =>
  createConsola({
    level: 5,
    reporters: [
      { log: ({ type, args }) => void written.push({ level: type, text: args.map(String).join(' ') }) },
    ],
  });

const loglevelOf: Make = (written) => {
  const logger = loglevel.getLogger(Symbol('test'));
  logger.methodFactory = (level) => (text: string) => void written.push({ level, text });
  logger.setLevel('debug', false);
  return logger;
};

const log4jsOf: Make = (written) => {
  const appender = {
    configure: () => (event: log4js.LoggingEvent) =>
      void written.push({ level: event.level.levelStr.toLowerCase(), text: event.data.join(' ') }),
  };
  log4js.configure({
    appenders: { own: { type: appender } },
    categories: { default: { appenders: ['own'], level: 'debug' } },
  });
  return log4js.getLogger('shop');
};

const { Signale } = createRequire(import.meta.url)('signale');
const signaleOf: Make = (written) =>
  new Signale({
    logLevel: 'info',
    config: { displayLabel: true, displayBadge: false, underlineLabel: false },
    stream: sink((text) =>
      written.push({ level: /\w+/.exec(stripVTControlCharacters(text))?.[0] ?? '', text }),
    ),
  });

const usual = ['info', 'info', 'info', 'error', 'debug', 'warn', 'fatal'];
const kinds: Readonly<Record<string, readonly [Make, readonly string[]]>> = {
  bunyan: [bunyanOf, usual],
  'a child of bunyan': [(written) => (bunyanOf(written) as bunyan).child({ module: 'health' }), usual],
  console: [consoleOf, ['out', 'out', 'out', 'err', 'out', 'err', 'err']],
  tslog: [tslogOf, usual],
  'a sub-logger of tslog': [(written) => tslogOf(written).getSubLogger({ name: 'health' }), usual],
  'tslog in a Proxy': [(written) => new Proxy(tslogOf(written), {}), usual],
  consola: [consolaOf, usual],
  'consola with a tag': [(written) => consolaOf(written).withTag('health'), usual],
  loglevel: [loglevelOf, usual.with(6, 'error')],
  log4js: [log4jsOf, usual],
};

describe.each(Object.entries(kinds))('%s', (_, [make, levels]) => {
  test('each record is written once, at its level, with its own data and no secret', () => {
    const written: Written = [];
    const logger = adopt(make(written));
    for (const record of records) logger.log(record);
    expect(written.map(({ level }) => level)).toEqual(levels);
    for (const [index, { fields, logger: name, msg }] of records.entries()) {
      const text = written[index]?.text ?? '';
      for (const value of [name, msg, ...Object.values(fields)])
        if (value !== undefined) expect(text).toContain(String(value));
    }
    expect(written[3]?.text).toContain('100 %s of postgres://');
    expect(written[3]?.text).toContain('foreign.test.ts');
    expect(JSON.stringify(written)).not.toContain('hunter2');
  });
});

it('signale gets one line for each record', () => {
  const written: Written = [];
  const logger = adopt(signaleOf(written));
  for (const path of ['/a', '/b', '/c']) logger.log(request(path));
  expect(written.map(({ text }) => /"path":"(\/\w)"/.exec(text)?.[1])).toEqual(['/a', '/b', '/c']);
  expect(written.every(({ text }) => text.trimEnd().split('\n').length === 1)).toBe(true);
});

it('the console of the process is looked up by its methods, so that a spy of a test sees the lines', () => {
  const info = vi.spyOn(console, 'info').mockImplementation(() => {});
  adopt(console).log(request('/a'));
  expect(info.mock.calls).toEqual([['request.summary: {"method":"GET","path":"/a","code":200,"t":1}']]);
  info.mockRestore();
});

it('a subclass is what its parent is', () => {
  const written: Written = [];
  class Shop extends TsLogger<object> {
    audit(text: string) {
      this.info(text);
    }
  }
  const shop = new Shop({ type: 'hidden' });
  shop.attachTransport(
    ({ _meta, ...rest }) =>
      void written.push({ level: String(_meta?.logLevelName), text: JSON.stringify(rest) }),
  );
  adopt(shop).log(request('/a'));
  expect(written).toEqual([{ level: 'INFO', text: expect.stringContaining('"path":"/a"') }]);
});

it.each([
  ['unknown, with levels and log', { log: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }],
  ['log beside one level', { log: vi.fn(), error: vi.fn() }],
  ['levels alone', { info: vi.fn(), warn: vi.fn(), error: vi.fn(), debug: vi.fn() }],
])('%s: refused, never guessed', (_, given) => {
  expect(() => adopt(given)).toThrow(
    expect.objectContaining({
      code: 'LIFESIGN_OPTION_INVALID',
      message: expect.stringContaining('for any other logger write { log: (record) => … }'),
    }),
  );
  for (const method of Object.values(given)) expect(method).not.toHaveBeenCalled();
});
