import { Writable } from 'node:stream';
import { expect } from 'vitest';
import { createHandler, type Logger, type LogRecord } from 'lifesign';
import { Health } from 'lifesign/fetch';
import type { LoggerLike } from 'lifesign/logging';
import { type Line, parseLine } from './schemas.js';

export const summary: LogRecord = {
  logger: 'request.summary',
  level: 20,
  time: 1_700_000_000_123,
  fields: { errno: 0, agent: 'a', lang: '', method: 'GET', path: '/', code: 200, uid: '', rid: 'r-1', t: 3 },
};
export const failed: LogRecord = {
  logger: 'health.checks',
  level: 50,
  time: 1_700_000_000_123,
  fields: { check: 'db' },
  msg: 'db.E001: down',
  error: new TypeError('postgres://u:hunter2@db'),
};
export const identity = { loggerName: 'acme', hostname: 'HOSTNAME', pid: 4242 };

/** Text that a logger has written, as parsed lines that fit the schemas. */
export class Sink extends Writable {
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
/** What a Health makes of the option `logger`. */
export const adoptLogger = (logger: LoggerLike): Logger => createHandler({ logger }).health.options.logger;

/** Runs below a request with this id. */
export function inRequest(id: string, run: () => unknown): void {
  const handle = new Health({ logger: false }).wrap(() => {
    run();
    return new Response();
  });
  void handle(new Request('http://localhost/', { headers: { 'X-Request-Id': id } }));
}

/** Our own records through a logger of the application: the line is that of JsonLogFormatter. */
export function expectOwnRecords(logger: LoggerLike, lines: () => Line[], exact = true): void {
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
