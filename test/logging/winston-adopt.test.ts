import winston from 'winston';
import { describe, expect, it } from 'vitest';
import { adoptLogger, expectOwnRecords, failed, inRequest, summary } from './own-records.js';
import type { Line } from './schemas.js';
import { makeWinston } from './make-winston.js';

/** winston adds it to every entry of a request. */
const withoutRid = (line: Line): Line => {
  if (line.Type === 'request.summary') return line;
  const { rid: _rid, ...Fields } = line.Fields;
  return { ...line, Fields };
};

describe('a winston logger', () => {
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
