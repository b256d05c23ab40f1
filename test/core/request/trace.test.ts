import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { engineOf } from '../../../src/core/health.js';
import {
  currentRequest,
  outsideRequest,
  RequestContext,
  runInRequest,
} from '../../../src/core/request/request.js';
import { activeTrace, outsideSpan, serverTrace } from '../../../src/core/request/trace.js';
import { makeHealth } from '../make-health.js';
import {
  api,
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

const over = { method: 'GET', target: '/orders', code: 200, complete: true, agent: '', lang: '' };

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

  test('is that of the server where an instrumentation says which that is', () => {
    const inside = {
      [spanKey]: spanOf(traceId, '1'.repeat(16)),
      [serverKey]: { span: spanOf(traceId, spanId) },
    };
    const { run } = registerContexts();
    expect(run(inside, serverTrace)).toEqual(ids);
    expect(run(inside, activeTrace)).toEqual({ ...ids, span_id: '1'.repeat(16) });
    expect(run({ [spanKey]: spanOf(traceId, spanId) }, serverTrace)).toBeUndefined();
  });
});

describe('a request', () => {
  const contextIn = (...places: Readonly<Record<symbol, unknown>>[]) => {
    const context = new RequestContext({ givenId: undefined });
    const { run } = registerContexts();
    for (const values of places) run(values, () => context.noteTrace());
    return context;
  };
  const early = { [spanKey]: spanOf('1'.repeat(32), '1'.repeat(16)) };
  const server = {
    [spanKey]: spanOf(traceId, '2'.repeat(16)),
    [serverKey]: { span: spanOf(traceId, spanId) },
  };

  test('belongs to the span of the server, whichever was seen first', () => {
    expect(contextIn(early, server).trace).toEqual(ids);
    expect(contextIn(server, early).trace).toEqual(ids);
    expect(contextIn({}, server, {}).trace).toEqual(ids);
  });

  test('belongs to the first span that was active where nobody says which is the one of the server', () => {
    const later = { [spanKey]: spanOf(traceId, '3'.repeat(16)) };
    expect(contextIn(early, later).trace).toEqual({ trace_id: '1'.repeat(32), span_id: '1'.repeat(16) });
  });

  test('has the ids in its summary, over fields of the application with these names', () => {
    const { health, records } = makeHealth({
      summary: { fields: () => ({ trace_id: 'mine', span_id: 'mine', at: 1 }) },
    });
    const context = contextIn(server);
    context.note({});
    engineOf(health).summarise(context, over);
    expect(records[0]?.fields).toMatchObject({ ...ids, at: 1 });
  });

  test('without a span has none, and keeps those of the application', () => {
    const { health, records } = makeHealth({ summary: { fields: () => ({ trace_id: 'mine' }) } });
    const context = contextIn({});
    engineOf(health).summarise(context, over);
    context.note({});
    engineOf(health).summarise(context, over);
    expect(records[0]?.fields).not.toHaveProperty('trace_id');
    expect(records[1]?.fields).toMatchObject({ trace_id: 'mine' });
    expect(records[1]?.fields).not.toHaveProperty('span_id');
  });
});

describe('the lines of checks and of errors', () => {
  const failing = async (traceIds: boolean | undefined, run: (beat: () => Promise<unknown>) => unknown) => {
    const { health, records } = makeHealth({ traceIds });
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
    expect(await failing(undefined, throughout)).toEqual([{ ...line, ...ids }]);
  });

  test('have none with traceIds: false, and none without a span', async () => {
    expect(await failing(true, (beat) => beat())).toEqual([line]);
    expect(await failing(false, throughout)).toEqual([line]);
  });

  test('have those of their request where the context has lost the span', () => {
    const { health, records } = makeHealth();
    const context = new RequestContext({ givenId: 'r1' });
    context.trace = ids;
    runInRequest(context, () =>
      engineOf(health).log({ logger: 'health', level: 40, time: 1, fields: { a: 1 }, msg: 'threw' }),
    );
    expect(records).toEqual([
      { logger: 'health', level: 40, time: 1, fields: { a: 1, ...ids }, msg: 'threw' },
    ]);
  });
});

describe('what outlives a request', () => {
  test('belongs neither to it nor to its trace, and keeps the rest of the context', () => {
    const { run } = registerContexts();
    const baggage = Symbol('baggage');
    const values = {
      [spanKey]: spanOf(traceId, spanId),
      [serverKey]: { span: spanOf(traceId, spanId) },
      [baggage]: 1,
    };
    const seen = vi.fn<(...args: unknown[]) => void>();
    const active = (): { getValue(key: symbol): unknown } =>
      Reflect.get(Reflect.get(globalThis, api), 'context').active();
    runInRequest(new RequestContext({ givenId: undefined }), () =>
      run(values, () =>
        outsideRequest(() =>
          seen(currentRequest(), activeTrace(), serverTrace(), active().getValue(baggage)),
        ),
      ),
    );
    expect(seen.mock.calls).toEqual([[undefined, undefined, undefined, 1]]);
  });

  test('throws what it throws, after one run', () => {
    const next = vi.fn<() => void>(() => {
      throw new Error('mine');
    });
    expect(() => inSpan(() => outsideSpan(next))).toThrow('mine');
    expect(next).toHaveBeenCalledTimes(1);
  });
});

const names = [
  'context',
  'active',
  'with',
  'getValue',
  'deleteValue',
  'spanContext',
  'traceId',
  'spanId',
  'span',
];
const thrower = () => {
  throw new Error('hostile');
};

/** Every shape that somebody may put under the symbol, down to the ids. */
const hostile = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', maxDepth: 6 },
    fc.constantFrom<unknown>(undefined, null, 0, '', 'x', traceId, spanId, Symbol('s'), 1n, NaN),
    fc.constantFrom(...names).map((name) => Object.defineProperty({}, name, { get: thrower })),
    fc.constant(thrower),
    tie('object'),
    tie('value').map((value) => () => value),
    tie('value').map((value) => Object.defineProperty({}, 'context', { get: () => value })),
  ),
  object: fc.dictionary(fc.constantFrom(...names), tie('value')),
})).value;

test('whatever stands under the symbol breaks no line and no work', () => {
  fc.assert(
    fc.property(hostile, hostile, (registered, span) => {
      const shapes = [
        registered,
        { context: registered },
        { context: { active: () => registered } },
        {
          context: {
            active: () => ({ getValue: () => span, deleteValue: () => registered }),
            with: registered,
          },
        },
        { context: { active: () => ({ getValue: () => ({ spanContext: () => registered, span }) }) } },
      ];
      for (const shape of shapes) {
        register(shape);
        const { health, records } = makeHealth();
        const next = vi.fn<() => void>();
        const context = new RequestContext({ givenId: 'r1' });
        context.noteTrace();
        outsideRequest(next);
        engineOf(health).log({ logger: 'health', level: 20, time: 1, fields: {}, msg: 'said' });
        engineOf(health).summarise(context, over);
        expect(next).toHaveBeenCalledTimes(1);
        expect(records).toHaveLength(2);
        for (const { fields } of records) {
          if ('trace_id' in fields) expect(fields).toMatchObject({ trace_id: traceId, span_id: spanId });
        }
      }
    }),
    { numRuns: 100 },
  );
});

test('a global property that throws is no API', () => {
  Object.defineProperty(globalThis, api, {
    configurable: true,
    get: () => {
      throw new Error('no');
    },
  });
  expect(activeTrace()).toBeUndefined();
  expect(serverTrace()).toBeUndefined();
});
