import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { LogRecord } from 'lifesign';
import { Health, type HealthOptions, noteError, requestId } from 'lifesign/fetch';
import { JsonLogFormatter } from 'lifesign/logging';
import { turn } from '../waiting.js';

type Asked = {
  readonly target?: string;
  readonly headers?: Record<string, string>;
  readonly options?: HealthOptions;
};
type Answered = { readonly code?: number; readonly error?: unknown };

/** What is logged of a request that the application answered like this. */
async function recordsOf(
  { target = '/', headers = {}, options = {} }: Asked,
  { code = 200, error }: Answered = {},
) {
  const records: LogRecord[] = [];
  const health = new Health({ ...options, logger: { log: (record) => void records.push(record) } });
  const handle = health.wrap((request) => {
    if (error !== undefined) noteError(request, error);
    return new Response('done', { status: code });
  });
  await (await handle(new Request(`http://localhost${target}`, { headers }))).text();
  await turn();
  health.close();
  return records;
}
const recordOf = async (...given: Parameters<typeof recordsOf>): Promise<LogRecord> => {
  const [record] = await recordsOf(...given);
  if (record === undefined) throw new Error('nothing was logged');
  return record;
};

const boom = new TypeError('boom');

it.each<[Answered, object]>([
  [{}, { level: 20, errno: 0, msg: undefined }],
  [
    { code: 404, error: boom },
    { level: 20, errno: 0, msg: undefined },
  ],
  [{ code: 499 }, { level: 20, errno: 0, msg: undefined }],
  [{ code: 500 }, { level: 30, errno: 500, msg: undefined }],
  [{ code: 503 }, { level: 30, errno: 503, msg: undefined }],
  [
    { code: 500, error: boom },
    { level: 40, errno: 500, msg: 'boom' },
  ],
  [
    { code: 503, error: boom },
    { level: 40, errno: 503, msg: 'boom' },
  ],
  // A text is not taken for fields.
  [
    { code: 500, error: '{"a":1}' },
    { level: 40, errno: 500, msg: 'Error: {"a":1}' },
  ],
  [
    { code: 500, error: '{"a":1' },
    { level: 40, errno: 500, msg: '{"a":1' },
  ],
])('%j is told by level, errno and msg', async (answered, expected) => {
  const { level, fields, msg } = await recordOf({}, answered);
  expect({ level, errno: fields['errno'], msg }).toEqual(expected);
});

it.each([
  ['/a', '/a', ''],
  ['/a?', '/a', ''],
  ['/a?b', '/a', 'b'],
  ['/a?b?c', '/a', 'b?c'],
  ['/a#b?c', '/a', ''],
  ['/%61?b=%63', '/a', 'b=c'],
])('%s has the path %s and the query %s', async (target, path, querystring) => {
  const options = { summary: { querystring: true } };
  expect((await recordOf({ target, options })).fields).toMatchObject({ path, querystring });
  expect((await recordOf({ target })).fields).not.toHaveProperty('querystring');
});

it.each(['/?token=geheim', '/?%74oken=geheim', '/?x=1&password=geheim', '/?u=https%3A%2F%2Fu%3Ageheim%40h'])(
  'a secret in the query %s is not logged',
  async (target) => {
    const records = await recordsOf({ target, options: { summary: { querystring: true } } });
    expect(JSON.stringify(records)).not.toContain('geheim');
  },
);

describe('the request id', () => {
  const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  const ridOf = async (id?: string) =>
    (await recordOf({ headers: id === undefined ? {} : { 'X-Request-Id': id } })).fields['rid'];

  it.each(['r', '!~', 'x'.repeat(200), 'a,b'])('%s is kept', async (id) => {
    expect(await ridOf(id)).toBe(id);
  });

  it.each([undefined, '', 'a b', 'é', '\x7f', 'x'.repeat(201)])('%j is replaced by a new one', async (id) => {
    const ids = [await ridOf(id), await ridOf(id)];
    for (const made of ids) expect(made).toMatch(uuid);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('of a header that came twice is the first one', async () => {
    expect(await ridOf('a, b, c')).toBe('a');
  });

  it('is known below the request, also after it has waited, and not outside; and nowhere without requestContext', async () => {
    const seen: unknown[] = [];
    for (const requestContext of [true, false]) {
      const handle = new Health({ logger: false, requestContext }).wrap(async () => {
        await turn();
        seen.push(requestId());
        return new Response();
      });
      await handle(new Request('http://localhost/', { headers: { 'X-Request-Id': 'r' } }));
    }
    expect([...seen, requestId()]).toEqual(['r', undefined, undefined]);
  });
});

describe('summary.ignore', () => {
  const ignored = async (target: string, ignore: readonly string[] | (() => boolean | number), code = 200) =>
    (await recordsOf({ target, options: { summary: { ignore } } }, { code })).length === 0;

  it.each([
    ['/metrics', true],
    ['/metrics?format=text', true],
    ['/static/app.js', true],
    ['/metrics2', false],
    ['/statics', false],
  ])('of a list: %s is left out %s', async (target, left) => {
    expect(await ignored(target, ['/metrics', '/static/*'])).toBe(left);
  });

  it('leaves out no failure and no endpoint of ours', async () => {
    expect(await ignored('/metrics', ['/metrics'], 500)).toBe(false);
    expect(await ignored('/__lbheartbeat__', ['/*'])).toBe(false);
  });

  it('asks a function: true, or a share', async () => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const answers = [];
    for (const share of [true, false, 1, 0, 0.4, 0.6]) answers.push(await ignored('/', () => share));
    random.mockRestore();
    expect(answers).toEqual([true, false, true, false, false, true]);
  });
});

it.each([
  [true, 1, 1],
  [false, 0, 0],
  [0.4, 0, 1],
  [0.5, 0, 1],
  [0.6, 1, 1],
  [0, 0, 1],
])(
  'of the endpoints with healthEndpoints %s there is %i of a success and %i of a failure',
  async (healthEndpoints, passed, failed) => {
    const random = vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const options = { summary: { healthEndpoints } };
    const records = [
      await recordsOf({ target: '/__lbheartbeat__', options }),
      await recordsOf({ target: '/__version__', options: { ...options, versionPath: '/nowhere' } }),
    ].map((all) => all.filter(({ logger }) => logger === 'request.summary').length);
    random.mockRestore();
    expect(records).toEqual([passed, failed]);
  },
);

describe('summary.fields', () => {
  it('adds scalars and replaces nothing', async () => {
    const fields = () => ({ tenant: 'acme', big: 2n, none: null, gone: undefined, code: 1, rid: 'x' });
    const headers = { 'X-Request-Id': 'the-id' };
    const record = await recordOf({ headers, options: { summary: { fields } } });
    expect(record.fields).toMatchObject({ tenant: 'acme', big: '2', none: null, code: 200, rid: 'the-id' });
  });

  it('whatever it returns, there is one valid line, bounded and without secrets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ withBigInt: true, withNullPrototype: true }), async (given) => {
        const records = await recordsOf({ options: { summary: { fields: (() => given) as never } } });
        const summaries = records.filter(({ logger }) => logger === 'request.summary');
        expect(summaries).toHaveLength(1);
        for (const record of summaries) {
          const { Fields } = JSON.parse(new JsonLogFormatter().format(record));
          for (const value of Object.values(Fields)) expect(Object(value)).not.toBe(value);
          expect(Fields.code).toBe(200);
        }
      }),
    );
    const many = Object.fromEntries(
      Array.from({ length: 1000 }, (_item, index) => [`f${index}`, 'x'.repeat(1e4)]),
    );
    const flooded = await recordsOf({ options: { summary: { fields: () => many } } });
    expect(JSON.stringify(flooded).length).toBeLessThan(25_000);
    const fields = () => ({ db: 'postgres://app:hunter2@db' });
    expect(JSON.stringify(await recordsOf({ options: { summary: { fields } } }))).not.toContain('hunter2');
  });
});

it('functions of the application are not asked about a request of ours, and give nothing later', async () => {
  const asked: unknown[] = [];
  const summary = {
    ignore: (request: unknown) => asked.push(request) > 0,
    fields: (request: unknown) => ({ asked: asked.push(request) }),
  };
  expect(await recordsOf({ target: '/__lbheartbeat__', options: { summary } })).toHaveLength(1);
  expect(asked).toEqual([]);
  const later = (async () => ({ tenant: 'acme' })) as never;
  expect((await recordOf({ options: { summary: { fields: later } } })).fields).not.toHaveProperty('tenant');
  const ignore = (async () => true) as never;
  expect(await recordsOf({ options: { summary: { ignore } } })).toHaveLength(1);
});

const thrower = () => {
  throw boom;
};
const hostile = Object.defineProperty({}, 'tenant', { enumerable: true, get: thrower });
it.each([
  ['fields', thrower, 'threw'],
  ['fields', () => hostile, 'threw'],
  ['fields', () => Promise.reject(boom), 'rejected'],
  ['ignore', thrower, 'threw'],
  ['ignore', () => Promise.reject(boom), 'rejected'],
] as const)(
  'a function %s of the application that throws or rejects is logged by its name, beside the summary',
  async (option, fn, says) => {
    const records = await recordsOf({ options: { summary: { [option]: fn } } });
    expect(records).toHaveLength(2);
    expect(records.map(({ logger, level, msg, error }) => [logger, level, msg, error])).toEqual(
      expect.arrayContaining([
        ['request.summary', 20, undefined, undefined],
        ['health', 40, `The summary.${option} option ${says}`, boom],
      ]),
    );
  },
);
