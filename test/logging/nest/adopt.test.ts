import { ConsoleLogger } from '@nestjs/common';
import { describe, expect, it, vi } from 'vitest';
import { adoptLogger, expectOwnRecords, failed, summary } from '../own-records.js';
import { makeNest } from './make-nest.js';

describe('a NestJS logger', () => {
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

  it('gets each level by its method, and an error without a stack an empty one', () => {
    const heard: unknown[][] = [];
    const note =
      (name: string) =>
      (_message: unknown, ...more: unknown[]) =>
        void heard.push([name, ...more]);
    const nest = { log: note('log'), warn: note('warn'), error: note('error'), debug: note('debug') };
    const adopted = adoptLogger(nest);
    const { error: _error, ...said } = failed;
    for (const level of [10, 20, 30, 50] as const) adopted.log({ ...said, level });
    const thrown = new Error('gone');
    delete thrown.stack;
    adopted.log({ ...said, level: 40, error: thrown });
    expect(heard).toEqual([
      ['debug', 'health.checks'],
      ['log', 'health.checks'],
      ['warn', 'health.checks'],
      ['error', 'health.checks'],
      ['error', '', 'health.checks'],
    ]);
  });
});
