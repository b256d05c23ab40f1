import { Writable } from 'node:stream';
import { LoggerFactory } from '@adonisjs/core/factories/logger';
import { configure, getLogger, reset } from '@logtape/logtape';
import { ConsoleLogger } from '@nestjs/common';
import Fastify from 'fastify';
import pino from 'pino';
import winston from 'winston';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { adoptLogger, type LoggerLike } from '../../src/core/adopt-logger.js';
import type { LogRecord } from '../../src/core/log.js';
import { RequestContext, runInRequest } from '../../src/core/request/request.js';
import {
  logConfig,
  logTapeContext,
  logTapeFormatter,
  NestLogger,
  winstonConfig,
  winstonFormat,
} from '../../src/logging/index.js';
import { type Line, parseLine } from './schemas.js';

const summary: LogRecord = {
  logger: 'request.summary',
  level: 20,
  time: 1_700_000_000_123,
  fields: { errno: 0, agent: 'a', lang: '', method: 'GET', path: '/', code: 200, uid: '', rid: 'r-1', t: 3 },
};
const failed: LogRecord = {
  logger: 'health.checks',
  level: 50,
  time: 1_700_000_000_123,
  fields: { check: 'db' },
  msg: 'db.E001: down',
  error: new TypeError('postgres://u:hunter2@db'),
};
const identity = { loggerName: 'acme', hostname: 'HOSTNAME', pid: 4242 };

/** Text that a logger has written, as parsed lines that fit the schemas. */
class Sink extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
  }
  get lines(): Line[] {
    expect(this.text).not.toContain('hunter2');
    return this.text.split('\n').filter(Boolean).map(parseLine);
  }
}
const inRequest = <T>(id: string, run: () => T): T => runInRequest(new RequestContext(() => id), run);

/** Our own records through a logger of the application: the line is that of JsonLogFormatter. */
function expectOwnRecords(logger: LoggerLike, lines: () => Line[], exact = true): void {
  const adopted = adoptLogger(logger);
  adopted.log(summary);
  adopted.log(failed);
  const [first, second] = lines();
  expect(first).toMatchObject({ Type: 'request.summary', Logger: 'acme', Severity: 6 });
  expect(first?.Fields).toEqual(summary.fields);
  expect(second).toMatchObject({ Type: 'health.checks', Logger: 'acme', Severity: 2 });
  expect(second?.Fields).toMatchObject({
    check: 'db',
    msg: 'db.E001: down',
    error: 'TypeError: postgres://***@db',
    traceback: expect.stringMatching(/^Uncaught exception:\nTypeError: postgres:\/\/\*\*\*@db\n {4}at /),
  });
  if (exact) expect([first?.Timestamp, second?.Timestamp]).toEqual([1700000000123e6, 1700000000123e6]);
}

const makePino = (options: object = {}) => {
  const sink = new Sink();
  return { sink, log: pino({ ...logConfig({ ...identity, level: 'trace' }), ...options }, sink) };
};

describe('pino', () => {
  it('writes the envelope', () => {
    const { sink, log } = makePino();
    log.info({ order: 7 }, 'paid %s', 'twice');
    expect(sink.lines).toEqual([
      {
        Timestamp: expect.any(Number),
        Type: 'app.log',
        Logger: 'acme',
        Hostname: 'HOSTNAME',
        EnvVersion: '2.0',
        Severity: 6,
        Pid: 4242,
        Fields: { order: 7, msg: 'paid twice' },
      },
    ]);
  });

  it('has severities for all levels, custom ones included', () => {
    const { sink, log } = makePino({ customLevels: { notice: 35 } });
    for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const) log[level]('x');
    (log as unknown as { notice(text: string): void }).notice('x');
    expect(sink.lines.map(({ Severity }) => Severity)).toEqual([7, 7, 6, 4, 3, 2, 6]);
  });

  it('keeps children, mixins, serializers and redaction', () => {
    const { sink, log } = makePino({
      mixin: () => ({ mixed: true }),
      serializers: { card: (card: { last: string }) => card.last },
      redact: ['secret'],
    });
    const child = log.child({ module: 'billing' }).child({ deep: { a: 1 } });
    child.info({ card: { last: '4242' }, secret: 'hidden' });
    expect(sink.lines[0]?.Fields).toEqual({
      module: 'billing',
      deep: '{"a":1}',
      mixed: true,
      card: '4242',
      secret: '[Redacted]',
    });
  });

  it('makes everything a scalar on one line', () => {
    const { sink, log } = makePino();
    log.info({ list: [1], text: 'a\u2028b\u0085"}', none: null, nan: NaN, big: 12n, empty: {} });
    log.info('{"a":1}');
    log.info({});
    log.info('');
    log.info({ msg: 'in the fields' });
    log.info({ url: 'http://x/:[{', time: '"}' }, 'looks :{ nested "}');
    expect(sink.lines.map(({ Fields }) => Fields)).toEqual(
      [
        { list: '[1]', text: 'a\u2028b\u0085"}', none: null, nan: null, big: '12', empty: '{}' },
        {},
        {},
        {},
        { msg: 'in the fields' },
        { url: 'http://x/:[{', time: '"}', msg: 'looks :{ nested "}' },
      ].map((fields) => ('big' in fields ? { ...fields, big: expect.anything() } : fields)),
    );
  });

  it('tells of an error as JsonLogFormatter does', () => {
    const { sink, log } = makePino();
    log.error(new TypeError('postgres://u:hunter2@db'));
    log.error({ err: new Error('token=hunter2') }, 'failed');
    expect(sink.lines.map(({ Fields }) => [Fields['error'], Fields['msg']])).toEqual([
      ['TypeError: postgres://***@db', 'postgres://***@db'],
      ['Error: token=***', 'failed'],
    ]);
    // The application caught it, or it could not have logged it.
    expect(sink.lines[0]?.Fields['traceback']).toMatch(/^TypeError: .*\n {4}at /);
  });

  it('has the rid of the request below it', () => {
    const { sink, log } = makePino();
    inRequest('r-"1"', () => log.child({ a: 1 }).info('below'));
    log.info('outside');
    expect(sink.lines.map(({ Fields }) => Fields)).toEqual([
      { rid: 'r-"1"', a: 1, msg: 'below' },
      { msg: 'outside' },
    ]);
  });

  it('takes our records, its mixins with them', () => {
    const { sink, log } = makePino();
    expectOwnRecords(log, () => sink.lines);
    const mixing = makePino({ mixin: () => ({ region: 'eu' }) });
    adoptLogger(mixing.log).log({ ...failed, error: 'text' });
    expect(mixing.sink.lines[0]?.Fields).toMatchObject({ region: 'eu', check: 'db', error: 'text' });
  });

  it('takes our records without the envelope too', () => {
    const sink = new Sink();
    const adopted = adoptLogger(pino(sink));
    adopted.log(summary);
    adopted.log({ ...failed, msg: undefined } as unknown as LogRecord);
    const [first, second] = sink.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ level: 30, logger: 'request.summary', ...summary.fields });
    expect(second).toMatchObject({ level: 60, logger: 'health.checks', msg: 'postgres://***@db' });
  });

  it('is the logger of Fastify', async () => {
    const sink = new Sink();
    const app = Fastify({ logger: { ...logConfig({ ...identity }), stream: sink } });
    app.get('/', (request) => {
      request.log.warn({ a: 1 }, 'from the handler');
      throw new Error('token=hunter2');
    });
    expect((await app.inject('/')).statusCode).toBe(500);
    await app.close();
    const { lines } = sink;
    expect(lines.map(({ Fields }) => Fields['msg'])).toContain('from the handler');
    expect(lines.some(({ Fields }) => Fields['error'] === 'Error: token=***')).toBe(true);
    expect(lines[0]?.Fields['req']).toContain('"method":"GET"');
  });

  it('is the logger of AdonisJS', () => {
    const sink = new Sink();
    const logger = new LoggerFactory()
      .merge({ enabled: true, ...logConfig({ ...identity, level: 'debug' }), desination: sink })
      .create();
    logger.child({ module: 'users' }).info('hello');
    expect(sink.lines[0]?.Fields).toEqual({ module: 'users', msg: 'hello' });
    sink.text = '';
    expectOwnRecords(logger, () => sink.lines);
  });
});

const makeWinston = (options: winston.LoggerOptions = {}) => {
  const sink = new Sink();
  const transports = [new winston.transports.Stream({ stream: sink })];
  return {
    sink,
    log: winston.createLogger({
      ...winstonConfig({ ...identity, level: 'silly' }),
      transports,
      ...options,
    }),
  };
};

describe('winston', () => {
  it('writes the envelope, whichever way an entry is made', () => {
    const { sink, log } = makeWinston();
    log.info('paid', { order: 7 });
    log.child({ module: 'billing' }).warn('late');
    log.log({ level: 'debug', message: 'x', list: [1] });
    log.error(new TypeError('postgres://u:hunter2@db'));
    log.error('failed:', new Error('token=hunter2'));
    log.error('failed', { error: new Error('token=hunter2') });
    const { lines } = sink;
    expect(lines.slice(0, 3).map(({ Severity, Type, Fields }) => [Severity, Type, Fields])).toEqual([
      [6, 'app.log', { order: 7, msg: 'paid' }],
      [4, 'app.log', { module: 'billing', msg: 'late' }],
      [7, 'app.log', { list: '[1]', msg: 'x' }],
    ]);
    expect(lines.slice(3).map(({ Fields }) => [Fields['msg'], Fields['error']])).toEqual([
      ['postgres://***@db', 'TypeError: postgres://***@db'],
      ['failed: token=***', 'Error: token=***'],
      ['failed', 'Error: token=***'],
    ]);
    for (const { Fields } of lines.slice(3))
      expect(Fields['traceback']).toMatch(/^(?:Type)?Error: .*\n {4}at /);
  });

  it('has the rid of the request that an entry was made in, even when it is written later', () => {
    const { sink, log } = makeWinston();
    log.cork();
    inRequest('r-1', () => log.info('one'));
    inRequest('r-2', () => log.info('two', { a: 1 }));
    log.info('outside');
    inRequest('r-3', () => log.uncork());
    expect(sink.lines.map(({ Fields }) => [Fields['msg'], Fields['rid']])).toEqual([
      ['one', 'r-1'],
      ['two', 'r-2'],
      ['outside', undefined],
    ]);
  });

  it('combines with other formats, colours do no harm', () => {
    const { sink, log } = makeWinston({
      format: winston.format.combine(winston.format.colorize(), winstonFormat(identity)),
    });
    log.error('x');
    expect(sink.lines[0]?.Severity).toBe(3);
  });

  it('takes our records', () => {
    const { sink, log } = makeWinston();
    const adopted = adoptLogger(log);
    adopted.log(summary);
    adopted.log(failed);
    const [first, second] = sink.lines;
    expect(first).toMatchObject({ Type: 'request.summary', Severity: 6, Fields: summary.fields });
    // The levels of npm have none above error.
    expect(second).toMatchObject({ Type: 'health.checks', Severity: 3 });
    const syslog = makeWinston({ levels: winston.config.syslog.levels, level: 'debug' });
    inRequest('r-1', () => expectOwnRecords(syslog.log, () => syslog.sink.lines.map(withoutRid)));
  });
});

/** winston adds it to every entry of a request. */
const withoutRid = (line: Line): Line => {
  if (line.Type === 'request.summary') return line;
  const { rid: _rid, ...Fields } = line.Fields;
  return { ...line, Fields };
};

describe('LogTape', () => {
  afterEach(() => reset());

  it('writes the envelope, has the rid, and takes our records under their category', async () => {
    const sink = new Sink();
    const format = logTapeFormatter(identity);
    await configure({
      contextLocalStorage: logTapeContext(),
      sinks: { out: (record) => sink.write(format(record)) },
      loggers: [
        { category: [], sinks: ['out'], lowestLevel: 'trace' },
        { category: ['logtape', 'meta'], parentSinks: 'override' },
      ],
    });
    const log = getLogger(['acme', 'billing']);
    log.info('paid {order}', { order: 7 });
    inRequest('r-1', () => log.warn`late by ${{ days: 2 }}`);
    log.fatal('down', { error: new Error('token=hunter2') });
    expect(
      sink.lines.map(({ Type, Severity, Fields }) => [Type, Severity, Fields['msg'], Fields['rid']]),
    ).toEqual([
      ['acme.billing', 6, 'paid 7', undefined],
      ['acme.billing', 4, 'late by {"days":2}', 'r-1'],
      ['acme.billing', 2, 'down', undefined],
    ]);
    expect(sink.lines[2]?.Fields['error']).toBe('Error: token=***');
    expect(sink.lines[2]?.Fields['traceback']).toMatch(/^Error: token=\*\*\*\n {4}at /);
    sink.text = '';
    expectOwnRecords(getLogger(), () => sink.lines);
  });
});

const makeNest = (options: ConstructorParameters<typeof NestLogger>[0] = {}) => {
  const sink = new Sink();
  return { sink, log: new NestLogger({ ...identity, write: (line) => sink.write(line), ...options }) };
};

describe('NestJS', () => {
  it('is a LoggerService with the context as Type', () => {
    const { sink, log } = makeNest();
    log.log('started', 'NestApplication');
    log.warn({ order: 7 });
    log.error('failed', new Error('token=hunter2').stack, 'Billing');
    log.fatal(new TypeError('postgres://u:hunter2@db'));
    log.debug('one', 'two', 'Context');
    inRequest('r-1', () => log.verbose('below'));
    expect(
      sink.lines.map(({ Type, Severity, Fields: { traceback, ...fields } }) => [
        Type,
        Severity,
        fields,
        String(traceback).split('\n', 1)[0],
      ]),
    ).toEqual([
      ['NestApplication', 6, { msg: 'started' }, 'undefined'],
      ['app.log', 4, { order: 7 }, 'undefined'],
      ['Billing', 3, { msg: 'failed' }, 'Error: token=***'],
      ['app.log', 2, { error: 'TypeError: postgres://***@db' }, 'TypeError: postgres://***@db'],
      ['Context', 7, { msg: 'one' }, 'undefined'],
      ['Context', 7, { msg: 'two' }, 'undefined'],
      ['app.log', 7, { rid: 'r-1', msg: 'below' }, 'undefined'],
    ]);
  });

  it('writes the levels that are asked for', () => {
    const { sink, log } = makeNest({ logLevels: ['error'] });
    log.log('no');
    log.error('yes');
    log.setLogLevels(['log']);
    log.log('yes');
    log.error('no');
    expect(sink.lines.map(({ Fields }) => Fields['msg'])).toEqual(['yes', 'yes']);
  });

  it('takes our records', () => {
    const { sink, log } = makeNest();
    expectOwnRecords(log, () => sink.lines, false);
  });

  it("Nest's own logger takes our records too", () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const error = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const adopted = adoptLogger(new ConsoleLogger({ json: true, colors: false }));
    adopted.log(summary);
    adopted.log({ ...failed, level: 40 });
    const [out, err] = [String(write.mock.calls[0]?.[0]), String(error.mock.calls[0]?.[0])];
    write.mockRestore();
    error.mockRestore();
    expect(JSON.parse(out)).toMatchObject({ context: 'request.summary', message: summary.fields });
    expect(JSON.parse(err)).toMatchObject({ context: 'health.checks', level: 'error' });
    expect(err).not.toContain('hunter2');
  });
});

describe('a logger of ones own', () => {
  it('gets every record as it is', () => {
    const log = vi.fn();
    adoptLogger({ log }).log(summary);
    expect(log).toHaveBeenCalledWith(summary);
  });
});
