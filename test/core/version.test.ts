import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { getVersion, type HealthOptions } from 'lifesign';
import { makeHealth } from './make-health.js';
import { deferred } from './waiting.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lifesign-version-'));
});
afterAll(() => rm(root, { recursive: true }));

/** What `/__version__` answers, and what the log says of it. */
async function served(options: HealthOptions, callback?: unknown) {
  const { health, report, records } = makeHealth(options);
  if (callback !== undefined) health.versionCallback(callback as () => null);
  return { ...(await report('/__version__')), told: records.map(({ level, msg }) => [level, msg]) };
}

// What is served of which file is in test/conformance/cases/version.ts; here is the cause that the log has.
it.each([
  ['list', '[]', 'version.json is not a JSON object', 'It contains an array or a single value.'],
  ['null', 'null', 'version.json is not a JSON object', 'It contains an array or a single value.'],
  ['cut', '{"a":', 'version.json is not valid JSON', 'JSON.parse rejected '],
  ['latin1', Uint8Array.of(123, 34, 233), 'version.json is not UTF-8 text', 'TypeError: '],
  ['large', `{"a":"${'x'.repeat(2 ** 20)}"}`, 'version.json is larger than 1 MiB', 'It has 1048584 bytes.'],
  ['folder', undefined, 'version.json is not a file', 'It is a directory or a device.'],
])('a version.json that is broken, %s, has its cause in the log', async (name, content, sentence, cause) => {
  const versionPath = join(root, name);
  const file = join(versionPath, 'version.json');
  await mkdir(content === undefined ? file : versionPath, { recursive: true });
  if (content !== undefined) await writeFile(file, content);
  const { status, body, told } = await served({ versionPath });
  expect({ status, body }).toEqual({ status: 500, body: { error: sentence } });
  expect(told).toEqual([[40, expect.stringContaining(`${sentence}: `)]]);
  expect(told[0]?.[1]).toContain(cause);
  await expect(getVersion(versionPath)).rejects.toThrow(`${sentence}: `);
});

it('a path that the system refuses is told without the path', async () => {
  const { body } = await served({ versionPath: '/srv/secret\0place' });
  expect(body).toEqual({ error: 'version.json cannot be read' });
});

it('getVersion gives the object of version.json, nothing where there is none', async () => {
  const directory = join(root, 'good');
  await mkdir(directory);
  await writeFile(join(directory, 'version.json'), '\ufeff{ "b": 12345678901234567890, "a": 1 }');
  expect(await getVersion(directory)).toEqual({ b: Number('12345678901234567890'), a: 1 });
  expect(await getVersion(join(root, 'none'))).toBeUndefined();
});

describe('a version callback', () => {
  it.each([
    [() => 'v1', 'the version callback did not return an object: It returned a string.'],
    [() => [1], 'the version callback did not return an object: It returned a object.'],
    [() => ({ toJSON: () => undefined }), 'the version callback did not return an object'],
    [() => ({ toJSON: () => 'x' }), 'the version callback did not return an object'],
    [() => Promise.reject(new TypeError('no git')), 'the version callback failed: TypeError: no git'],
    [() => ({ a: 1n }), 'the version callback failed: TypeError: '],
  ])('%s is an error of its own, with its cause in the log', async (callback, cause) => {
    const { status, body, told } = await served({}, callback);
    expect([status, body.error]).toEqual([500, expect.stringMatching(/^the version callback /)]);
    expect(told).toEqual([[40, expect.stringContaining(cause)]]);
  });

  it('that hangs is late for all who ask, called once, and given up after four timeouts; its late answer is nobody’s', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    const { health, report } = makeHealth({ timeout: 100 });
    const calls: ReturnType<typeof deferred>[] = [];
    health.versionCallback(async () => {
      const call = deferred();
      const number = calls.push(call);
      await call.promise;
      return { number };
    });
    const ask = () => report('/__version__');
    const asked = Array.from({ length: 50 }, ask);
    await vi.advanceTimersByTimeAsync(101);
    for (const answer of await Promise.all(asked)) {
      expect(answer).toEqual({ status: 500, body: { error: 'the version callback did not answer' } });
    }
    await vi.advanceTimersByTimeAsync(290);
    void ask();
    expect(calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(20);
    const second = ask();
    expect(calls).toHaveLength(2);
    calls[0]?.resolve();
    await vi.advanceTimersByTimeAsync(1);
    const third = ask();
    calls[1]?.resolve();
    expect((await Promise.all([second, third])).map(({ body }) => body)).toEqual([
      { number: 2 },
      { number: 2 },
    ]);
    vi.useRealTimers();
  });
});
