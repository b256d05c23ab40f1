import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogRecord } from 'lifesign';
import { PrettyFormatter } from '../../src/logging/pretty.js';

const time = new Date(2026, 10, 15, 12, 3, 4).getTime();
const summaryOf = (more: object = {}): LogRecord => ({
  logger: 'request.summary',
  level: 20,
  time,
  fields: {
    errno: 0,
    agent: 'curl',
    lang: '',
    method: 'GET',
    path: '/orders',
    code: 200,
    uid: '',
    rid: 'r-1',
    t: 12,
    ...more,
  },
});
const plain = new PrettyFormatter(false);

describe('a line', () => {
  it.each<[string, LogRecord]>([
    ['12:03:04 GET /orders 200 12 ms', summaryOf()],
    ['12:03:04 GET /orders 200 12 ms tenant=acme cut=true', summaryOf({ tenant: 'acme', cut: true })],
    [
      '12:03:04 GET /orders 500 12 ms TypeError: no',
      { ...summaryOf({ code: 500 }), level: 40, msg: 'TypeError: no' },
    ],
    [
      '12:03:04 warning storage shop.W001: Storage is slow (hint: See the runbook)',
      {
        logger: 'health.checks',
        level: 30,
        time,
        fields: { check: 'storage', rid: 'r-1', hint: 'See the runbook' },
        msg: 'shop.W001: Storage is slow',
      },
    ],
    [
      '12:03:04 info health hello dropped=3',
      { logger: 'health', level: 20, time, fields: { dropped: 3 }, msg: 'hello' },
    ],
    ['12:03:04 debug health', { logger: 'health', level: 10, time, fields: {} }],
  ])('%s', (line, record) => expect(plain.format(record)).toBe(line));

  it('has the traceback of an error below it, without secrets', () => {
    const error = new TypeError('postgres://u:hunter2@db', { cause: new Error('refused') });
    const record = {
      logger: 'health.checks',
      level: 40 as const,
      time,
      fields: { check: 'db' },
      msg: 'a.E1: b',
      error,
    };
    const [first, title, second, third, ...more] = plain.format(record).split('\n');
    expect(first).toBe('12:03:04 error db a.E1: b');
    expect(title).toBe('  Uncaught exception:');
    expect(second).toBe('  TypeError: postgres://***@db');
    expect(third).toMatch(/^ {6}at /);
    expect(more).toContainEqual('  Caused by: Error: refused');
  });

  it('is coloured by status and level', () => {
    const coloured = new PrettyFormatter(true);
    expect(coloured.format(summaryOf())).toContain('\u001B[32m200\u001B[0m');
    expect(coloured.format(summaryOf({ code: 302 }))).toContain('\u001B[36m302\u001B[0m');
    expect(coloured.format(summaryOf({ code: 404 }))).toContain('\u001B[33m404\u001B[0m');
    expect(coloured.format(summaryOf({ code: 503 }))).toContain('\u001B[31m503\u001B[0m');
  });
});

it('whatever strangers write moves, hides and forges nothing', () => {
  const nasty = fc.string({
    unit: fc.constantFrom(
      ...'a \n\r\t\u001B[2J\u0000\u007F\u009B\u202E\u2028\uD800é12:03:04 GET'.split(/(?:)/),
    ),
  });
  const forged = '\n12:03:04 GET /admin 200 1 ms';
  const texts = fc.oneof(
    nasty,
    nasty.map((text) => text + forged),
  );
  fc.assert(
    fc.property(texts, texts, texts, texts, (method, path, extra, message) => {
      const error = Object.assign(new Error('x'), { stack: `Error: ${message}${forged}\n    at a` });
      const records: LogRecord[] = [
        { ...summaryOf({ method, path, [extra]: extra }), msg: message },
        { ...summaryOf({ path, traceback: message }) },
        {
          logger: 'health.checks',
          level: 40,
          time,
          fields: { check: path, hint: extra },
          msg: message,
          error,
        },
        { logger: method, level: 30, time, fields: { [extra]: path }, msg: message, error: message },
      ];
      for (const record of records) {
        const [first = '', ...below] = plain.format(record).split('\n');
        expect(first).toMatch(/^12:03:04 /);
        for (const line of below) expect(line).toMatch(/^ {2}/);
        expect([first, ...below].join('')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }
    }),
  );
});
