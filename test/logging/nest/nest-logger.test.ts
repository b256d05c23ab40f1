import { describe, expect, it } from 'vitest';
import { inRequest } from '../own-records.js';
import { makeNest } from './make-nest.js';

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
});
