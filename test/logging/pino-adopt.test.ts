import pino from 'pino';
import { describe, expect, it, vi } from 'vitest';
import type { LogRecord } from 'lifesign';
import { logConfig } from 'lifesign/logging';
import { adoptLogger, expectOwnRecords, failed, inRequest, Sink, summary } from './own-records.js';
import { makePino } from './make-pino.js';

describe('a pino logger', () => {
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

  it('without fatal gets a critical as an error', () => {
    const heard: string[] = [];
    const note = (name: string) => () => void heard.push(name);
    const adopted = adoptLogger({
      child: () => undefined,
      debug: note('debug'),
      info: note('info'),
      warn: note('warn'),
      error: note('error'),
    });
    for (const level of [10, 20, 30, 40, 50] as const) adopted.log({ ...failed, level });
    expect(heard).toEqual(['debug', 'info', 'warn', 'error', 'error']);
  });

  it('gets plain fields: what else they carry is in no JSON, no loop and no print', () => {
    const info = vi.fn<(fields: object) => void>();
    adoptLogger({ child() {}, debug() {}, info, warn() {}, error() {} }).log(summary);
    const [fields = {}] = info.mock.calls[0] ?? [];
    expect({ ...summary.fields, logger: 'request.summary' }).toEqual(JSON.parse(JSON.stringify(fields)));
    expect(structuredClone(Object.fromEntries(Object.entries(fields)))).toEqual({
      logger: 'request.summary',
      ...summary.fields,
    });
  });
});

describe('logConfig knows a record of ours', () => {
  const expectSummary = (sink: Sink, more: object = {}) =>
    expect(sink.lines).toMatchObject([
      { Type: 'request.summary', Timestamp: 1700000000123e6, Fields: { ...summary.fields, ...more } },
    ]);

  it('below a child, with mixins that copy the fields, with hooks and formatters that call it', () => {
    const { formatters, hooks } = logConfig();
    const { sink, log } = makePino({
      mixin: () => ({ region: 'eu' }),
      mixinMergeStrategy: (fields: object, mixed: object) => ({ ...mixed, ...fields }),
      formatters: {
        ...formatters,
        log: ({ secret: _secret, ...fields }: Record<string, unknown>) => formatters.log({ ...fields, b: 1 }),
      },
      hooks: {
        ...hooks,
        logMethod(this: pino.Logger, args: Parameters<pino.LogFn>, method: pino.LogFn) {
          method.apply(this, args);
        },
      },
    });
    adoptLogger(log.child({ a: 1 })).log(summary);
    expectSummary(sink, { region: 'eu', a: 1, b: 1 });
    expect(sink.lines[0]?.Fields).not.toHaveProperty('logger');
  });

  it('and no other: what a mixin logs meanwhile is a line of the application, with its rid', () => {
    const { sink, log } = makePino();
    const mixing = makePino({ mixin: () => (log.info('from the mixin'), {}) });
    inRequest('r-9', () => adoptLogger(mixing.log).log(summary));
    expectSummary(mixing.sink);
    expect(sink.lines).toMatchObject([{ Type: 'app.log', Fields: { rid: 'r-9', msg: 'from the mixin' } }]);
    expect(sink.lines[0]?.Timestamp).toBeGreaterThan(1700000000123e6);
  });

  it('after a line that throws on the way, of ours or of the application', () => {
    const refuse = () => {
      throw new Error('no');
    };
    const { sink, log } = makePino({ serializers: { bad: refuse } });
    const adopted = adoptLogger(log);
    expect(() => adopted.log({ ...summary, fields: { ...summary.fields, bad: 1 } })).toThrow('no');
    // A field of that name that the application has is its own.
    log.info({ logger: 'request.summary', err: 'mine' });
    expect(() => log.info({ bad: 1 })).toThrow('no');
    adopted.log(summary);
    log.child({ a: 1 }).info('x');
    adoptLogger(log.child({ a: 1 })).log(failed);
    expect(sink.lines.map(({ Type, Fields }) => [Type, 'logger' in Fields])).toEqual([
      ['app.log', true],
      ['request.summary', false],
      ['app.log', false],
      ['health.checks', false],
    ]);
  });
});
