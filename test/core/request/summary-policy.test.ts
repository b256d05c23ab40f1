import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonLogFormatter } from 'lifesign/logging';
import { engineOf } from '../../../src/core/health.js';
import type { CoreOptions } from '../../../src/core/options/options.js';
import { RequestContext } from '../../../src/core/request/request.js';
import type { Summary } from '../../../src/core/request/summary.js';
import { makeHealth } from '../make-health.js';
import { turn } from '../waiting.js';

/** The records of a request that ended like this. */
function recordsOf(options: CoreOptions, summary: Partial<Summary> = {}, error?: unknown) {
  const { health, records } = makeHealth(options);
  const context = new RequestContext({ givenId: 'the-id' });
  context.error = error;
  const whole = { method: 'GET', target: '/', code: 200, complete: true, agent: 'a', lang: '', ...summary };
  context.request = { ip: '::1' };
  engineOf(health).summarise(context, whole);
  return records;
}

describe('the level of a summary', () => {
  it.each([
    [200, '/', undefined, 20],
    [404, '/', new Error('no'), 20],
    [499, '/', undefined, 20],
    [500, '/', undefined, 30],
    [503, '/', undefined, 30],
    [500, '/', new Error('boom'), 40],
    [500, '/__heartbeat__', undefined, 20],
    [503, '/__lbheartbeat__', undefined, 20],
  ])('of %i for %s is by status and by what was thrown', (code, target, error, level) => {
    expect(recordsOf({}, { code, target }, error).map((record) => record.level)).toEqual([level]);
  });

  it('of an answer that this side broke off is warning', () => {
    expect(recordsOf({}, { complete: false, cut: true, failed: true })[0]).toMatchObject({
      level: 30,
      fields: { errno: 500, cut: true },
    });
  });
});

describe('summary.ignore', () => {
  const ignored = (target: string, code = 200) =>
    recordsOf({ summary: { ignore: ['/metrics', '/static/*'] } }, { target, code }).length === 0;

  it('leaves paths and what begins like them out', () => {
    expect(ignored('/metrics')).toBe(true);
    expect(ignored('/metrics?format=text')).toBe(true);
    expect(ignored('http://proxy/metrics')).toBe(true);
    expect(ignored('/static/app.js')).toBe(true);
    expect(ignored('/metrics2')).toBe(false);
    expect(ignored('/statics')).toBe(false);
  });

  it('leaves out no failure and no endpoint of ours', () => {
    expect(ignored('/metrics', 500)).toBe(false);
    expect(recordsOf({ summary: { ignore: ['/*'] } }, { target: '/__lbheartbeat__' })).toHaveLength(1);
  });

  it('asks a function: true, or a share', () => {
    expect(recordsOf({ summary: { ignore: () => true } })).toHaveLength(0);
    expect(recordsOf({ summary: { ignore: () => false } })).toHaveLength(1);
    expect(recordsOf({ summary: { ignore: () => 1 } })).toHaveLength(0);
    expect(recordsOf({ summary: { ignore: () => 0 } })).toHaveLength(1);
    const kept = Array.from({ length: 400 }, () => recordsOf({ summary: { ignore: () => 0.5 } }).length);
    expect(kept.filter((count) => count === 1).length).toBeGreaterThan(100);
    expect(kept.filter((count) => count === 0).length).toBeGreaterThan(100);
  });

  it('is read from its variable and refused when wrong', () => {
    process.env['HEALTH_SUMMARY_IGNORE'] = '/metrics, /static/*';
    try {
      expect(makeHealth().health.options.summary?.ignore).toEqual(['/metrics', '/static/*']);
      process.env['HEALTH_SUMMARY_IGNORE'] = 'metrics';
      expect(() => makeHealth()).toThrow('HEALTH_SUMMARY_IGNORE is "metrics"; it must be a list of paths');
    } finally {
      delete process.env['HEALTH_SUMMARY_IGNORE'];
    }
    expect(() => makeHealth({ summary: { ignore: ['/a*b'] } })).toThrow('Option summary.ignore');
  });
});

describe('summary.fields', () => {
  it('adds scalars and replaces nothing', () => {
    const fields = () => ({
      tenant: 'acme',
      plan: 3,
      big: 2n,
      none: null,
      gone: undefined,
      code: 1,
      rid: 'x',
    });
    expect(recordsOf({ summary: { fields } })[0]?.fields).toMatchObject({
      tenant: 'acme',
      plan: 3,
      big: '2',
      none: null,
      code: 200,
      rid: 'the-id',
    });
  });

  it('whatever it returns, there is one valid line, bounded and without secrets', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true }), (given) => {
        const fields = (() => given) as never;
        const records = recordsOf({ summary: { fields } }).filter(
          ({ logger }) => logger === 'request.summary',
        );
        expect(records).toHaveLength(1);
        const [record] = records;
        if (record === undefined) return;
        const parsed = JSON.parse(new JsonLogFormatter().format(record));
        for (const value of Object.values(parsed.Fields))
          expect(typeof value === 'object' && value !== null).toBe(false);
        expect(parsed.Fields.code).toBe(200);
      }),
    );
    const many = Object.fromEntries(
      Array.from({ length: 1000 }, (_item, index) => [`f${index}`, 'x'.repeat(1e4)]),
    );
    const flooded = JSON.stringify(recordsOf({ summary: { fields: () => many } }));
    expect(flooded.length).toBeLessThan(25_000);
    const secret = recordsOf({ summary: { fields: () => ({ db: 'postgres://app:hunter2@db' }) } });
    expect(JSON.stringify(secret)).not.toContain('hunter2');
  });
});

it('summary.traceback adds the error, where the request failed by one', () => {
  const error = new TypeError('boom');
  const [record] = recordsOf({ summary: { traceback: true } }, { code: 500 }, error);
  expect(record?.error).toBe(error);
  const line = JSON.parse(
    new JsonLogFormatter().format(record ?? { logger: '', level: 0, time: 0, fields: {} }),
  );
  expect(line.Fields).toMatchObject({ error: 'TypeError: boom', msg: 'boom', code: 500 });
  expect(line.Fields.traceback).toContain('summary-policy.test');
  expect(recordsOf({}, { code: 500 }, error)[0]?.error).toBeUndefined();
  expect(recordsOf({ summary: { traceback: true } }, { code: 404 }, error)[0]?.error).toBeUndefined();
});

it('functions of the application are not asked about a request that never came to it, and give nothing later', () => {
  const asked: unknown[] = [];
  const options: CoreOptions = {
    summary: {
      ignore: (request) => asked.push(request) > 0,
      fields: (request) => ({ asked: asked.push(request) }),
    },
  };
  const { health, records } = makeHealth(options);
  const summary = { method: 'GET', target: '/', code: 200, complete: true, agent: '', lang: '' };
  engineOf(health).summarise(new RequestContext({ givenId: 'the-id' }), summary);
  expect(asked).toEqual([]);
  expect(records).toHaveLength(1);
  const later = async () => ({ tenant: 'acme' });
  expect(recordsOf({ summary: { fields: later as never } })[0]?.fields).not.toHaveProperty('tenant');
  expect(recordsOf({ summary: { ignore: (async () => true) as never } })).toHaveLength(1);
});

it('a function of the application that throws or rejects is logged by its name, and the summary is still there', async () => {
  const boom = new Error('boom');
  const thrower = () => {
    throw boom;
  };
  const hostile = {
    get tenant(): string {
      throw boom;
    },
  };
  for (const [option, fn, says] of [
    ['fields', thrower, 'threw'],
    ['fields', () => hostile, 'threw'],
    ['fields', () => Promise.reject(boom), 'rejected'],
    ['ignore', thrower, 'threw'],
    ['ignore', () => Promise.reject(boom), 'rejected'],
  ] as const) {
    const records = recordsOf({ summary: { [option]: fn } });
    await turn();
    expect(records.map(({ logger, level, msg, error }) => [logger, level, msg, error])).toEqual(
      expect.arrayContaining([
        ['request.summary', 20, undefined, undefined],
        ['health', 40, `The summary.${option} option ${says}`, boom],
      ]),
    );
    expect(records).toHaveLength(2);
  }
});
