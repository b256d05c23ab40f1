import winston from 'winston';
import { describe, expect, it } from 'vitest';
import { winstonFormat } from 'lifesign/logging';
import { identity, inRequest } from './own-records.js';
import { makeWinston } from './make-winston.js';

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
});
