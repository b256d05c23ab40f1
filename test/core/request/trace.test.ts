import { describe, expect, test } from 'vitest';
import type { LogRecord } from 'lifesign';
import { Health, type HealthOptions } from 'lifesign/fetch';
import { activeTrace } from '../../../src/core/request/request.js';
import { makeHealth } from '../make-health.js';
import {
  ids,
  inSpan,
  register,
  registerContexts,
  serverKey,
  spanId,
  spanKey,
  spanOf,
  traceId,
} from './otel-globals.js';

/** The fields of the summary of a request that is served within these values of the context. */
async function summaryIn(values: Readonly<Record<symbol, unknown>>, options: HealthOptions = {}) {
  const records: LogRecord[] = [];
  const health = new Health({ ...options, logger: { log: (record) => void records.push(record) } });
  const handle = health.wrap(() => new Response());
  await registerContexts().run(values, () => handle(new Request('http://localhost/')));
  health.close();
  return records[0]?.fields;
}

describe('the span that is active', () => {
  test('is found by the global symbol of the API', () => {
    expect(activeTrace()).toBeUndefined();
    expect(inSpan(() => activeTrace())).toEqual(ids);
    expect(activeTrace()).toBeUndefined();
  });

  test.each([
    ['an invalid trace', '0'.repeat(32), spanId],
    ['an invalid span', traceId, '0'.repeat(16)],
    ['capital letters', traceId.toUpperCase(), spanId],
    ['a line break', `${traceId}\n`, spanId],
    ['numbers', 1, 2],
    ['too long', `${traceId}0`, spanId],
    ['objects that turn into texts', { toString: () => traceId }, { toString: () => spanId }],
  ])('is none with %s', (_case, trace, span) => {
    expect(inSpan(() => activeTrace(), trace, span)).toBeUndefined();
  });
});

describe('the summary of a request', () => {
  const server = {
    [spanKey]: spanOf(traceId, '2'.repeat(16)),
    [serverKey]: { span: spanOf(traceId, spanId) },
  };

  test('has the ids of the span of the server, over fields of the application with these names', async () => {
    const fields = () => ({ trace_id: 'mine', span_id: 'mine', at: 1 });
    expect(await summaryIn(server, { summary: { fields } })).toMatchObject({ ...ids, at: 1 });
    expect(await summaryIn({ [spanKey]: spanOf(traceId, spanId) })).toMatchObject(ids);
  });

  test('without a span has none, and keeps those of the application', async () => {
    expect(await summaryIn({})).not.toHaveProperty('trace_id');
    const fields = await summaryIn({}, { summary: { fields: () => ({ trace_id: 'mine' }) } });
    expect(fields).toMatchObject({ trace_id: 'mine' });
    expect(fields).not.toHaveProperty('span_id');
  });
});

describe('the lines of checks and of errors', () => {
  const failing = async (run: (beat: () => Promise<unknown>) => unknown) => {
    const { health, records } = makeHealth();
    health.check('storage', () => {
      throw new Error('gone');
    });
    await run(() => health.heartbeat());
    return records.map(({ logger, fields }) => ({ logger, ...fields }));
  };
  const line = {
    logger: 'health.checks',
    check: 'storage',
    hint: 'More: npx lifesign-cli explain health.E011',
  };
  // The context of the tests is a variable: whatever is active when the line is written counts.
  const throughout = async (beat: () => Promise<unknown>) => {
    const active = { getValue: (key: symbol) => (key === spanKey ? spanOf(traceId, spanId) : undefined) };
    register({ context: { active: () => active } });
    await beat();
  };

  test('have the ids of the span', async () => {
    expect(await failing(throughout)).toEqual([{ ...line, ...ids }]);
  });

  test('have none without a span', async () => {
    expect(await failing((beat) => beat())).toEqual([line]);
  });
});
