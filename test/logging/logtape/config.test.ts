import { getLogger, reset } from '@logtape/logtape';
import { afterEach, describe, expect, it } from 'vitest';
import { inRequest } from '../own-records.js';
import { configureLogTape } from './make-logtape.js';

afterEach(() => reset());

describe('LogTape', () => {
  it('writes the envelope and has the rid', async () => {
    const sink = await configureLogTape();
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
  });
});
