import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { getVersion } from 'lifesign';
import { VersionAnswers } from '../../../src/core/version/version-answers.js';
import { VersionSource } from '../../../src/core/version/version.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lifesign-version-'));
});
afterAll(() => rm(root, { recursive: true }));

/** A directory with such a version.json. */
async function holding(name: string, content: string | Uint8Array): Promise<string> {
  const directory = join(root, name);
  await mkdir(directory);
  await writeFile(join(directory, 'version.json'), content);
  return directory;
}
const source = (versionPath: string, versionFallbacks: readonly string[] = [], timeout = 1000) =>
  new VersionSource({ versionPath, versionFallbacks, timeout });

describe('version.json', () => {
  test('is served as it stands, without a byte order mark', async () => {
    const directory = await holding('good', '\ufeff{ "b": 12345678901234567890, "a": 1 }');
    expect(await source(directory).read()).toEqual({
      kind: 'found',
      json: '{ "b": 12345678901234567890, "a": 1 }',
    });
    expect(await getVersion(directory)).toEqual({ b: Number('12345678901234567890'), a: 1 });
  });

  test.each([
    ['list', '[]', 'version.json is not a JSON object', 'It contains an array or a single value.'],
    ['null', 'null', 'version.json is not a JSON object', 'It contains an array or a single value.'],
    ['cut', '{"a":', 'version.json is not valid JSON', 'JSON.parse rejected it.'],
    ['latin1', Uint8Array.of(123, 34, 233), 'version.json is not UTF-8 text', /^TypeError: /],
    ['large', `{"a":"${'x'.repeat(2 ** 20)}"}`, 'version.json is larger than 1 MiB', 'It has 1048584 bytes.'],
  ])('that is %s is broken, and its cause is told', async (name, content, sentence, cause) => {
    const directory = await holding(name, content);
    const outcome = await source(directory).read();
    expect(outcome).toMatchObject({ kind: 'broken', sentence });
    expect(outcome).toMatchObject({
      cause: typeof cause === 'string' ? cause : expect.stringMatching(cause),
    });
    await expect(getVersion(directory)).rejects.toThrow(`${sentence}: `);
  });

  test('of 1 MiB is not too large', async () => {
    const directory = await holding('exact', `{"a":"${'x'.repeat(2 ** 20 - 8)}"}`);
    expect((await source(directory).read()).kind).toBe('found');
  });

  test('that is a directory is broken', async () => {
    const directory = join(root, 'folder');
    await mkdir(join(directory, 'version.json'), { recursive: true });
    expect(await source(directory).read()).toEqual({
      kind: 'broken',
      sentence: 'version.json is not a file',
      cause: 'It is a directory or a device.',
    });
  });

  test('is read once when it has rested, each time while it is young, and again when it has changed', async () => {
    const directory = await holding('rested', '{"version":"1"}');
    const file = join(directory, 'version.json');
    const changed = Math.floor((await stat(file)).ctimeMs);
    const reads = vi.spyOn(process.getBuiltinModule('node:fs/promises'), 'readFile');
    const now = vi.spyOn(Date, 'now');
    try {
      const made = source(directory);
      const readsOf = async (json: string) => {
        const before = reads.mock.calls.length;
        expect(await made.read()).toEqual({ kind: 'found', json });
        return reads.mock.calls.length - before;
      };
      // Some file systems tell the time of a change in ticks of two seconds.
      now.mockReturnValue(changed + 2000);
      expect([await readsOf('{"version":"1"}'), await readsOf('{"version":"1"}')]).toEqual([1, 1]);
      now.mockReturnValue(changed + 2001);
      expect([await readsOf('{"version":"1"}'), await readsOf('{"version":"1"}')]).toEqual([1, 0]);
      await writeFile(file, '{"version":"2"}');
      expect(await readsOf('{"version":"2"}')).toBe(1);
      await rm(file);
      expect(await made.read()).toMatchObject({ kind: 'missing' });
    } finally {
      vi.restoreAllMocks();
    }
  });

  test('at a path that the system refuses is told without the path', async () => {
    // The sentence is for everybody, its cause for the log.
    expect(await source('/srv/secret\0place').read()).toMatchObject({
      kind: 'broken',
      sentence: 'version.json cannot be read',
    });
  });

  test('is the first that is there, good or bad', async () => {
    const [none, bad, good] = [join(root, 'none'), await holding('bad', '1'), await holding('fine', '{}')];
    expect(await source(none, [none, bad, good]).read()).toMatchObject({ kind: 'broken' });
    expect(await source(none, [good, bad]).read()).toEqual({ kind: 'found', json: '{}' });
    expect(await source(none, [none, join(good, 'version.json')]).read()).toEqual({
      kind: 'missing',
      lookedIn: [none, join(good, 'version.json')],
    });
    expect(await getVersion(none)).toBeUndefined();
  });
});

describe('a version callback', () => {
  const called = (callback: unknown) => {
    const made = source('/path');
    made.replace(callback);
    return made.read();
  };

  test('is given the path, and gives an object now or later', async () => {
    const found = { kind: 'found', json: '{"path":"/path"}' };
    expect(await called((path: string) => ({ path }))).toEqual(found);
    expect(await called(async (path: string) => ({ path }))).toEqual(found);
  });

  test.each([
    [() => undefined, { kind: 'missing' }],
    [async () => null, { kind: 'missing' }],
    [() => 'v1', { cause: 'It returned a string.' }],
    [() => [1], { cause: 'It returned a object.' }],
    [() => ({ toJSON: () => undefined }), { cause: 'Its toJSON did not return an object.' }],
    [() => ({ toJSON: () => 'x' }), { cause: 'Its toJSON did not return an object.' }],
    [
      () => ({ a: 'x'.repeat(2 ** 20) }),
      { sentence: 'the version callback returned more than 1 MiB', cause: 'It has 1048584 characters.' },
    ],
    [
      () => {
        throw new TypeError('no git');
      },
      { kind: 'broken', sentence: 'the version callback failed', cause: 'TypeError: no git' },
    ],
    [() => Promise.reject(new Error('no git')), { cause: 'Error: no git' }],
    [() => ({ a: 1n }), { sentence: 'the version callback failed' }],
  ])('%s comes to %j', async (callback, outcome) => {
    expect(await called(callback)).toMatchObject(outcome);
  });

  test.each([undefined, null, 'v1', {}])('%j is none', (value) => {
    expect(() => source('/').replace(value)).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_VERSION_CALLBACK' }),
    );
  });

  test('that hangs is late for all who ask, called once, and given up after four timeouts', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    const made = source('/', [], 100);
    let calls = 0;
    made.replace(() => {
      calls += 1;
      return new Promise(() => {});
    });
    const asked = [made.read(), made.read()];
    await vi.advanceTimersByTimeAsync(101);
    const late = {
      kind: 'broken',
      sentence: 'the version callback did not answer',
      cause: 'It took longer than 100 ms.',
    };
    expect(await Promise.all(asked)).toEqual([late, late]);
    await vi.advanceTimersByTimeAsync(290);
    void made.read();
    expect(calls).toBe(1);
    await vi.advanceTimersByTimeAsync(20);
    void made.read();
    expect(calls).toBe(2);
    vi.useRealTimers();
  });

  test('that answers after it was given up takes nothing from the one that was called since', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] });
    const made = source('/', [], 100);
    const answers: ((version: object) => void)[] = [];
    made.replace(() => new Promise<object>((resolve) => void answers.push(resolve)));
    void made.read();
    await vi.advanceTimersByTimeAsync(410);
    void made.read();
    expect(answers).toHaveLength(2);
    answers[0]?.({ late: true });
    await vi.advanceTimersByTimeAsync(1);
    const asked = made.read();
    expect(answers).toHaveLength(2);
    answers[1]?.({ late: false });
    expect(await asked).toEqual({ kind: 'found', json: '{"late":false}' });
    vi.useRealTimers();
  });

  test('is called anew for the next who asks after it has answered', async () => {
    const made = source('/');
    let calls = 0;
    made.replace(() => ({ calls: (calls += 1) }));
    await made.read();
    expect(await made.read()).toEqual({ kind: 'found', json: '{"calls":2}' });
  });
});

test('the answer to what was found, and what the log is told', () => {
  const lines: unknown[][] = [];
  const answers = new VersionAnswers((...line) => void lines.push(line));
  expect(answers.answer({ kind: 'found', json: '{}' })).toMatchObject({ status: 200, body: '{}' });
  expect(answers.answer({ kind: 'missing' })).toMatchObject({ status: 404 });
  expect(lines).toEqual([]);
  for (let times = 0; times < 2; times += 1)
    expect(answers.answer({ kind: 'missing', lookedIn: ['/a', '/b'] })).toMatchObject({ status: 404 });
  const broken = { kind: 'broken', sentence: 'it broke', cause: 'here' } as const;
  expect(answers.answer(broken)).toMatchObject({ status: 500, body: '{"error":"it broke"}' });
  expect(lines).toEqual([
    [
      30,
      'version.json not found in /a or /b. Create it with "npx lifesign version", or set versionPath (BASE_DIR in settings).',
    ],
    [40, 'it broke: here'],
  ]);
});
