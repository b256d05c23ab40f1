import { LoggerFactory } from '@adonisjs/core/factories/logger';
import { describe, expect, it } from 'vitest';
import { logConfig } from 'lifesign/logging';
import { expectOwnRecords, identity, inRequest, Sink } from './own-records.js';
import { makePino } from './make-pino.js';

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
