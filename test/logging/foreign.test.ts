import { Writable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { ConsoleLogger, Logger as NestLogger } from '@nestjs/common';
import bunyan from 'bunyan';
import { describe, expect, it, test, vi } from 'vitest';
import { createHandler, type LogRecord } from 'lifesign';
import type { LoggerLike } from 'lifesign/logging';

const adopt = (given: unknown) =>
  createHandler({ logger: given as LoggerLike, loggerName: 'acme' }).health.options.logger;
const time = Date.UTC(2026, 10, 16);
const request = (path: string, level: 20 | 40 = 20): LogRecord => ({
  logger: 'request.summary',
  level,
  time,
  fields: { method: 'GET', path, code: 200, t: 1 },
});
const thrown = new Error('100 %s of postgres://app:hunter2@db/app failed');
const records: readonly LogRecord[] = [
  request('/a'),
  request('/b'),
  request('/%s/c'),
  { ...request('/d', 40), error: thrown },
  { logger: 'health.checks', level: 10, time, fields: { check: 'db' }, msg: 'shop.D001: fine' },
  { logger: 'health.checks', level: 30, time, fields: { check: 'db' }, msg: 'shop.W001: slow' },
  { logger: 'health.checks', level: 50, time, fields: { check: 'db' }, msg: 'shop.C001: gone' },
];

/** What a logger wrote: an entry for each record. */
type Written = { readonly level: string; readonly text: string }[];

function sink(take: (text: string) => void): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk));
      done();
    },
  });
}

const bunyanLevels: Readonly<Record<number, string>> = {
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
test('bunyan: each record is written once, at its level, with its own data and no secret', () => {
  const written: Written = [];
  const stream = sink((text) => written.push({ level: bunyanLevels[JSON.parse(text).level] ?? '', text }));
  const logger = adopt(bunyan.createLogger({ name: 'shop', level: 'debug', stream }));
  for (const record of records) logger.log(record);
  expect(written.map(({ level }) => level).join(' ')).toBe('info info info error debug warn fatal');
  for (const [index, { fields, logger: name, msg }] of records.entries()) {
    const text = written[index]?.text ?? '';
    for (const value of [name, msg, ...Object.values(fields)])
      if (value !== undefined) expect(text).toContain(String(value));
  }
  expect(written[3]?.text).toContain('100 %s of postgres://');
  expect(written[3]?.text).toContain('foreign.test.ts');
  expect(JSON.stringify(written)).not.toContain('hunter2');
});

const levels = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const others: Readonly<Record<string, object>> = {
  'the console': console,
  "NestJS' ConsoleLogger": new ConsoleLogger(),
  "NestJS' Logger": new NestLogger('shop'),
  'levels and log': { ...levels, log: vi.fn() },
  'log beside one level': { log: vi.fn(), error: vi.fn() },
  'levels alone': levels,
};

describe.each(Object.entries(others))('%s', (_, given) => {
  it('is refused, never guessed, and the error has the lines to write', () => {
    let message = '';
    try {
      adopt(given);
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'LIFESIGN_OPTION_INVALID' });
      message = String(thrown);
    }
    for (const method of Object.values(levels)) expect(method).not.toHaveBeenCalled();
    const [, lines = ''] = message.split('For any other logger, write:\nlogger: ');
    expect(lines.split('\n')).toHaveLength(3);
    const written: unknown[] = [];
    const take =
      (level: string) =>
      (...args: unknown[]) =>
        void written.push([level, ...args]);
    const yours = { info: take('info'), warn: take('warn'), error: take('error') };
    const logger = adopt(runInNewContext(`(${lines})`, { yours }));
    for (const record of records.slice(3)) logger.log(record);
    expect(JSON.parse(JSON.stringify(written))).toEqual([
      ['error', '', { logger: 'request.summary', method: 'GET', path: '/d', code: 200, t: 1 }],
      ['info', 'shop.D001: fine', { logger: 'health.checks', check: 'db' }],
      ['warn', 'shop.W001: slow', { logger: 'health.checks', check: 'db' }],
      ['error', 'shop.C001: gone', { logger: 'health.checks', check: 'db' }],
    ]);
  });
});
