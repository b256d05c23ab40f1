import { strict as assert } from 'node:assert';
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ask, assertHeaders, assertJson, type Case, get, recordsOf } from '../case.js';

const inDirectory = (content: string | Uint8Array) => async (directory: string) => {
  await writeFile(join(directory, 'version.json'), content);
  return { options: { versionPath: directory } };
};

/** A file that is answered with 500 and a sentence, its cause in the log and nothing of it in the body. */
const broken = (what: string, content: string | Uint8Array, sentence: string): Case => ({
  name: `version: ${what} is 500, ${sentence}`,
  setup: inDirectory(content),
  async run(host, directory) {
    const reply = await get(host, '/__version__');
    assertJson(reply, 500, JSON.stringify({ error: sentence }));
    const [record] = await recordsOf(host, 'health', 1);
    assert.ok(record?.msg?.startsWith(`${sentence}: `));
    assert.equal(record?.level, 40);
    assert.ok(!reply.body.includes(directory) && !reply.body.includes('secret'));
  },
});

const callback = (what: string, returned: () => unknown, status: number, body: string): Case => ({
  name: `version: a callback that ${what}`,
  // Wrong types on purpose: callers in JavaScript have no compiler.
  setup: () => ({ versionCallback: returned as () => Record<string, unknown> }),
  async run(host) {
    assertJson(await get(host, '/__version__'), status, body);
  },
});

const text =
  '{ "commit": "52ce614", "version": "1.2.3",\n "source": "https://code.example.com/acme", "build": "https://ci.example.com/7" }\n';

export const version: readonly Case[] = [
  ...['URL', 'text'].map((kind): Case => ({
    name: `version: the directory may be a file: URL, as a ${kind}`,
    async setup(directory) {
      const url = pathToFileURL(directory);
      await writeFile(join(directory, 'version.json'), '{"version":"by URL"}');
      return { options: { versionPath: kind === 'URL' ? url : url.href } };
    },
    async run(host) {
      assertJson(await get(host, '/__version__'), 200, '{"version":"by URL"}');
    },
  })),
  {
    name: 'version: serves the contents of version.json as they are',
    setup: inDirectory(text),
    async run(host) {
      assertJson(await get(host, '/__version__'), 200, text);
    },
  },
  {
    name: 'version: none of the fields is required, unknown ones are kept, large numbers and order too',
    setup: inDirectory('{"b":12345678901234567890123,"10":1,"9":null,"__proto__":{"x":1}}'),
    async run(host) {
      assertJson(
        await get(host, '/__version__'),
        200,
        '{"b":12345678901234567890123,"10":1,"9":null,"__proto__":{"x":1}}',
      );
    },
  },
  {
    name: 'version: a byte order mark is taken away',
    setup: inDirectory('\uFEFF{"version":"1"}'),
    async run(host) {
      assertJson(await get(host, '/__version__'), 200, '{"version":"1"}');
    },
  },
  {
    name: 'version: text beyond ASCII has the right length in bytes',
    setup: inDirectory('{"version":"café ☃ 😀"}'),
    async run(host) {
      assertJson(await get(host, '/__version__'), 200, '{"version":"café ☃ 😀"}');
    },
  },
  {
    name: 'version: no file is 404',
    setup: (directory) => ({ options: { versionPath: directory } }),
    async run(host) {
      assertJson(await get(host, '/__version__'), 404, '{"error":"version.json not found"}');
      assertJson(await get(host, '/__version__'), 404, '{"error":"version.json not found"}');
      // Once: a platform asks again and again.
      const told = host.records.filter((record) => record.logger === 'health');
      assert.equal(told.length, 1);
      assert.match(
        told[0]?.msg ?? '',
        /^version\.json not found in \S+\. Create it with "npx lifesign version"/,
      );
    },
  },
  {
    name: 'version: no directory is 404',
    // There at the start: profile A refuses a BASE_DIR that is not.
    async setup(directory) {
      const versionPath = join(directory, 'nowhere');
      await mkdir(versionPath);
      return { options: { versionPath } };
    },
    async run(host, directory) {
      await rm(join(directory, 'nowhere'), { recursive: true });
      assertJson(await get(host, '/__version__'), 404, '{"error":"version.json not found"}');
    },
  },
  {
    name: 'version: a dangling link is 404',
    async setup(directory) {
      await symlink(join(directory, 'nowhere'), join(directory, 'version.json'));
      return { options: { versionPath: directory } };
    },
    async run(host) {
      assertJson(await get(host, '/__version__'), 404, '{"error":"version.json not found"}');
    },
  },
  {
    name: 'version: a file that appears, changes, keeps its size and goes is seen at once',
    setup: (directory) => ({ options: { versionPath: directory } }),
    async run(host, directory) {
      const file = join(directory, 'version.json');
      assert.equal((await get(host, '/__version__')).status, 404);
      for (const content of ['{"version":"1"}', '{"version":"2"}', '{"version":"3"}']) {
        await writeFile(file, content);
        assertJson(await get(host, '/__version__'), 200, content);
        assertJson(await get(host, '/__version__'), 200, content);
      }
      const old = new Date(Date.now() - 60_000);
      await utimes(file, old, old);
      assertJson(await get(host, '/__version__'), 200, '{"version":"3"}');
      await writeFile(file, '{"version":"4"}');
      await utimes(file, old, old);
      assertJson(await get(host, '/__version__'), 200, '{"version":"4"}');
      await writeFile(file, '{"version":');
      assert.equal((await get(host, '/__version__')).status, 500);
    },
  },
  broken('malformed JSON', '{"password":"secret",}', 'version.json is not valid JSON'),
  broken('an empty file', '', 'version.json is not valid JSON'),
  broken('NaN', '{"a":NaN}', 'version.json is not valid JSON'),
  broken('a list', '["secret"]', 'version.json is not a JSON object'),
  broken('a string', '"secret"', 'version.json is not a JSON object'),
  broken('null', 'null', 'version.json is not a JSON object'),
  broken(
    'bytes that are no UTF-8',
    Buffer.from('{"v":"caf\xe9 secret"}', 'latin1'),
    'version.json is not UTF-8 text',
  ),
  broken('more than 1 MiB', `{"a":"${'x'.repeat(2 ** 20)}"}`, 'version.json is larger than 1 MiB'),
  {
    name: 'version: just under 1 MiB is served',
    setup: inDirectory(`{"a":"${'x'.repeat(2 ** 20 - 8)}"}`),
    async run(host) {
      assert.equal((await get(host, '/__version__')).status, 200);
    },
  },
  {
    name: 'version: a directory of that name is 500, version.json is not a file',
    async setup(directory) {
      await mkdir(join(directory, 'version.json'));
      return { options: { versionPath: directory } };
    },
    async run(host) {
      assertJson(await get(host, '/__version__'), 500, '{"error":"version.json is not a file"}');
    },
  },
  {
    name: 'version: HEAD has the headers of GET and no body',
    setup: inDirectory('{"version":"1"}'),
    async run(host) {
      const reply = await ask(host, 'HEAD', '/__version__');
      assert.equal(reply.status, 200);
      assert.equal(reply.body, '');
      assertHeaders(reply, 15);
    },
  },
  {
    name: 'version: a callback replaces the file and gets the path',
    setup: async (directory) => ({
      ...(await inDirectory('{"version":"file"}')(directory)),
      versionCallback: async (path) => ({ commit: 'abc', path: path === directory }),
    }),
    async run(host) {
      assertJson(await get(host, '/__version__'), 200, '{"commit":"abc","path":true}');
    },
  },
  callback('returns an object at once', () => ({ commit: 'abc' }), 200, '{"commit":"abc"}'),
  callback('returns null', () => null, 404, '{"error":"version.json not found"}'),
  callback('returns nothing', () => undefined, 404, '{"error":"version.json not found"}'),
  callback('returns a list', () => [1], 500, '{"error":"the version callback did not return an object"}'),
  callback('returns a string', () => 'v1', 500, '{"error":"the version callback did not return an object"}'),
  callback(
    'returns what JSON cannot carry',
    () => ({ big: 1n }),
    500,
    '{"error":"the version callback failed"}',
  ),
  callback(
    'throws',
    () => {
      throw new Error('secret');
    },
    500,
    '{"error":"the version callback failed"}',
  ),
  callback(
    'rejects',
    () => Promise.reject(new Error('secret')),
    500,
    '{"error":"the version callback failed"}',
  ),
  {
    name: 'version: a callback that hangs is given up after the timeout',
    setup: () => ({ options: { timeout: 30 }, versionCallback: () => new Promise(() => {}) }),
    async run(host) {
      assertJson(await get(host, '/__version__'), 500, '{"error":"the version callback did not answer"}');
    },
  },
];
