import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LogRecord } from 'lifesign';
import { JsonLogFormatter } from 'lifesign/logging';
import { Health as NodeHealth } from 'lifesign/node';
import { job, noteError, requestId } from 'lifesign/worker';
import { collect } from '../http/serving.js';
import { parseLine } from '../logging/schemas.js';
import { makeWorker } from './make-worker.js';
import { codePoint } from '../core/code-point.js';

const formatter = new JsonLogFormatter();

function lineOf(records: readonly LogRecord[], index: number): string {
  const record = records[index];
  if (record === undefined) throw new Error(`no record ${index}`);
  return formatter.format(record).trimEnd();
}

/** Ways in which a handler ends. */
const endings = {
  returns: (value: unknown) => value,
  resolves: async (value: unknown) => value,
  throws: (value: unknown) => {
    throw value;
  },
  rejects: async (value: unknown) => {
    throw value;
  },
  'rejects later': (value: unknown) => new Promise((_, reject) => setImmediate(reject, value)),
};

describe('a job', () => {
  test('has one line of its schema, whatever its name, id, attempt and outcome; what it gives or throws is unchanged', async () => {
    const { health, jobs } = makeWorker();
    const anything = fc.oneof(fc.anything(), fc.constant(new Error('boom')), fc.constant(undefined));
    const texts = fc.oneof(fc.string({ unit: codePoint }), fc.constant('x'.repeat(5000)));
    const given = fc.record({
      name: texts,
      id: fc.oneof(texts, fc.integer(), fc.bigInt(), fc.constant(undefined), fc.constant(null)),
      attempt: fc.oneof(fc.integer(), fc.double(), fc.constant(undefined)),
      ending: fc.constantFrom(...(Object.keys(endings) as (keyof typeof endings)[])),
      value: anything.filter((value) => typeof value !== 'object' || value === null || !('then' in value)),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ name, id, attempt, ending, value }) => {
        const before = jobs().length;
        const fails = ending !== 'returns' && ending !== 'resolves';
        let inside: string | undefined;
        const run = () => {
          inside = requestId();
          return endings[ending](value);
        };
        const outcome = await health.job(name, id, run, { attempt }).then(
          (result) => ({ failed: false, result }),
          (result: unknown) => ({ failed: true, result }),
        );
        expect(outcome.failed).toBe(fails);
        expect(Object.is(outcome.result, value)).toBe(true);
        expect(jobs().length).toBe(before + 1);
        const { Fields } = parseLine(lineOf(jobs(), before));
        expect(Fields).toMatchObject({ errno: fails ? 500 : 0, rid: inside });
      }),
      { numRuns: 40 },
    );
  });

  test('is its own context: the id of the job, of the request that caused it, or a new one', async () => {
    const { health, jobs } = makeWorker();
    const ids: unknown[] = [];
    const note = () => void ids.push(requestId());
    await health.job('mail', '7', note);
    await health.job('mail', '8', note, { requestId: 'night-1', attempt: 3 });
    await health.job('mail', 'not an id', note);
    await health.job('mail', undefined, note);
    expect(requestId()).toBe(undefined);
    const uuid = expect.stringMatching(/^[\da-f-]{36}$/);
    expect(ids).toEqual(['7', 'night-1', uuid, uuid]);
    expect(jobs().map(({ fields: { id, attempt, rid } }) => [id, attempt, rid])).toEqual([
      ['7', 1, '7'],
      ['8', 3, 'night-1'],
      ['not an id', 1, ids[2]],
      ['', 1, ids[3]],
    ]);
  });

  test('keeps its id apart from those that run beside it', async () => {
    const { health } = makeWorker();
    const seen = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        health.job('tick', index, async ({ id, attempt }) => {
          await new Promise((resolve) => setImmediate(resolve));
          return [id, attempt, requestId()];
        }),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 50 }, (_, index) => [String(index), 1, String(index)]));
  });

  test('that caught its own error tells of it, without a secret', async () => {
    const { health, jobs } = makeWorker();
    const error = new Error('cannot reach amqp://guest:s3cret@mq');
    await health.job('order', 1, (running) => noteError(running, error));
    expect(jobs()).toMatchObject([{ level: 40, msg: 'cannot reach amqp://***@mq', fields: { errno: 500 } }]);
    expect(lineOf(jobs(), 0)).not.toContain('s3cret');
  });

  test('goes on where a queue has no options for it, or its handler notes an error on a copy', async () => {
    const { health, jobs } = makeWorker();
    const returned: unknown = await Reflect.apply(health.job, health, ['mail', 1, () => 5, null]);
    await health.job('mail', 2, (running) => noteError({ ...running }, new Error('lost')));
    expect(returned).toBe(5);
    expect(jobs().map(({ fields: { attempt, errno } }) => [attempt, errno])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  test('of a Health of any framework; none is logged without summaries', async () => {
    const { logger, records } = collect();
    const health = new NodeHealth({ logger });
    expect(await job(health, 'mail', 1, () => requestId())).toBe('1');
    expect(records).toMatchObject([{ logger: 'job.summary', level: 20, fields: { name: 'mail' } }]);
    const silent = makeWorker({ summary: false });
    expect(await silent.health.job('mail', 1, () => 5)).toBe(5);
    expect(silent.jobs()).toEqual([]);
  });

  test('that is none is refused with what to write', async () => {
    const { health } = makeWorker();
    const call = async (...args: readonly unknown[]): Promise<unknown> =>
      Reflect.apply(health.job, health, args);
    const invalid = expect.objectContaining({
      code: 'LIFESIGN_JOB',
      message: expect.stringContaining("Write health.job('send-mail', job.id"),
    });
    await expect(call('mail', 1)).rejects.toThrow(invalid);
    await expect(call(5, 1, () => {})).rejects.toThrow(invalid);
    await expect(call('mail', 1, {})).rejects.toThrow(invalid);
    const wrong: Promise<unknown> = Reflect.apply(job, undefined, [{}, 'mail', 1, () => {}]);
    await expect(wrong).rejects.toThrow(expect.objectContaining({ code: 'LIFESIGN_APP' }));
  });
});
