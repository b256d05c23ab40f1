import { strict as assert } from 'node:assert';
import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, assertHeaders, assertJson, type Case, get, recordsOf } from '../case.js';

const inDirectory = (content: string | Uint8Array) => async (directory: string) => {
  await writeFile(join(directory, 'version.json'), content);
  return { options: { versionPath: directory } };
};

const text =
  '{ "commit": "52ce614", "version": "1.2.3",\n "source": "https://code.example.com/acme", "build": "https://ci.example.com/7" }\n';

const odd = '{"b":12345678901234567890123,"10":1,"9":null,"__proto__":{"x":1}}';
/** An object that is to be closed, of 1 MiB then. */
const large = `{"a":"${'x'.repeat(2 ** 20 - 8)}`;
type Content = string | Uint8Array;

/** What a file of this content is answered with. */
const files: readonly (readonly [what: string, content: Content, status: number, answer: string])[] = [
  ['the contents as they are', text, 200, text],
  ['no field that is required, others, large numbers and order', odd, 200, odd],
  ['a byte order mark, which is taken away', '\uFEFF{"version":"1"}', 200, '{"version":"1"}'],
  ['text beyond ASCII', '{"version":"café ☃ 😀"}', 200, '{"version":"café ☃ 😀"}'],
  ['just under 1 MiB', large.slice(0, -1) + '"}', 200, large.slice(0, -1) + '"}'],
  ['malformed JSON', '{"password":"secret",}', 500, 'version.json is not valid JSON'],
  ['an empty file', '', 500, 'version.json is not valid JSON'],
  ['NaN', '{"a":NaN}', 500, 'version.json is not valid JSON'],
  ['a list', '["secret"]', 500, 'version.json is not a JSON object'],
  ['a string', '"secret"', 500, 'version.json is not a JSON object'],
  ['null', 'null', 500, 'version.json is not a JSON object'],
  [
    'bytes that are no UTF-8',
    Buffer.from('{"v":"caf\xe9 secret"}', 'latin1'),
    500,
    'version.json is not UTF-8 text',
  ],
  ['more than 1 MiB', large + 'xx"}', 500, 'version.json is larger than 1 MiB'],
];

/** What the version callback did last. */
let called: () => unknown = () => ({});

export const version: readonly Case[] = [
  {
    name: 'version: a file is served as it is, or is 500 with a sentence, its cause in the log and nothing of it in the body',
    setup: (directory) => ({ options: { versionPath: directory } }),
    async run(host, directory) {
      for (const [what, content, status, answer] of files) {
        await writeFile(join(directory, 'version.json'), content);
        const reply = await get(host, '/__version__');
        assert.deepEqual([what, reply.status], [what, status]);
        if (status === 200) assertJson(reply, status, answer);
        else {
          assertJson(reply, status, JSON.stringify({ error: answer }));
          const record = host.records.findLast(({ logger }) => logger === 'health');
          assert.ok(record?.msg?.startsWith(`${answer}: `), what);
          assert.equal(record?.level, 40);
          assert.ok(!reply.body.includes(directory) && !reply.body.includes('secret'));
        }
      }
      await recordsOf(host, 'health', files.filter(([, , status]) => status === 500).length);
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
  {
    name: 'version: what a callback returns is served, missing, or refused',
    // Wrong types on purpose: callers in JavaScript have no compiler.
    setup: () => ({ versionCallback: () => called() as Record<string, unknown> }),
    async run(host) {
      const secret = () => new Error('secret');
      const missing = 'version.json not found';
      const wrong = 'the version callback did not return an object';
      const failed = 'the version callback failed';
      const answers: readonly (readonly [() => unknown, number, string])[] = [
        [() => null, 404, missing],
        [() => undefined, 404, missing],
        [() => [1], 500, wrong],
        [() => 'v1', 500, wrong],
        [() => ({ big: 1n }), 500, failed],
        [() => Promise.reject(secret()), 500, failed],
        [
          () => {
            throw secret();
          },
          500,
          failed,
        ],
      ];
      for (const [does, status, error] of answers) {
        called = does;
        assertJson(await get(host, '/__version__'), status, JSON.stringify({ error }));
      }
      called = () => ({ commit: 'abc' });
      assertJson(await get(host, '/__version__'), 200, '{"commit":"abc"}');
    },
  },
];
