import { getLogger, reset } from '@logtape/logtape';
import { afterEach, describe, expect, it } from 'vitest';
import { adoptLogger, expectOwnRecords, summary } from '../own-records.js';
import { configureLogTape } from './make-logtape.js';

afterEach(() => reset());

describe('a LogTape logger', () => {
  it('takes our records', async () => {
    const sink = await configureLogTape();
    expectOwnRecords(getLogger(), () => sink.lines);
  });

  it('takes them under its own category', async () => {
    const sink = await configureLogTape();
    adoptLogger(getLogger('acme')).log(summary);
    expect(sink.lines.map(({ Type, Fields }) => [Type, Fields])).toEqual([
      ['acme.request.summary', summary.fields],
    ]);
  });
});
