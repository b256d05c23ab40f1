import { strict as assert } from 'node:assert';
import { ask, assertApplication, assertHeaders, assertJson, type Case, get } from '../case.js';

const paths = ['/__version__', '/__heartbeat__', '/__lbheartbeat__'];

export const requests: readonly Case[] = [
  {
    name: 'endpoints alone: without summary, context and echo everything is answered alike, and nothing is logged',
    setup: () => ({
      options: { summary: false, requestContext: false },
      versionCallback: () => ({ version: '1' }),
      checks: { quiet: () => [], slow: async () => [] },
    }),
    async run(host) {
      assertJson(await get(host, '/__version__'), 200, '{"version":"1"}');
      assertJson(await get(host, '/__lbheartbeat__'), 200, '{"status":"ok"}');
      const report = '{"status":"ok","checks":{"quiet":"ok","slow":"ok"},"details":{}}';
      for (const target of ['/__heartbeat__', '/__heartbeat__/?x'])
        assertJson(await get(host, target), 200, report);
      const head = await ask(host, 'HEAD', '/__heartbeat__');
      assert.equal(head.status, 200);
      assertHeaders(head, report.length);
      assert.equal((await ask(host, 'POST', '/__heartbeat__')).status, 405);
      assertApplication(await get(host, '/nowhere'));
      assert.equal((await ask(host, 'POST', '/echo')).status, 201);
      assert.deepEqual(host.records, []);
    },
  },
  ...paths.flatMap((path): Case[] => [
    {
      name: `paths: ${path} answers alike with a slash at its end and with a query`,
      setup: () => ({ versionCallback: () => ({ version: '1' }) }),
      async run(host) {
        const plain = await get(host, path);
        assert.equal(plain.status, 200);
        for (const same of [`${path}/`, `${path}?x=1`, `${path}/?x=1&y=/`, `${path}?`]) {
          const reply = await get(host, same);
          assertJson(reply, 200, plain.body);
        }
      },
    },
    {
      name: `paths: nothing but ${path} is matched`,
      async run(host) {
        const upper = path.toUpperCase();
        const encoded = path.replace('_', '%5F');
        for (const other of [
          `${path}x`,
          `${path}.json`,
          `${path}/x`,
          `${path}//`,
          `${path};x=1`,
          `${path}%2F`,
          `${path}%0A`,
          `${path}%00`,
          `/${path}`,
          `/prefix${path}`,
          path.slice(0, -1),
          upper,
          encoded,
        ]) {
          assertApplication(await get(host, other));
        }
      },
    },
    {
      name: `methods: OPTIONS ${path} is 204 with Allow and without a body`,
      async run(host) {
        const reply = await ask(host, 'OPTIONS', path);
        assert.equal(reply.status, 204);
        assert.equal(reply.body, '');
        assert.equal(reply.headers['allow'], 'GET, HEAD, OPTIONS');
        assert.equal(reply.headers['vary'], 'Accept-Encoding');
        assert.equal(reply.headers['cache-control'], 'no-store');
      },
    },
    ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method): Case => ({
      name: `methods: ${method} ${path} is 405 with Allow`,
      async run(host) {
        for (const target of [path, `${path}/?x=1`]) {
          const reply = await ask(host, method, target);
          assertJson(reply, 405, '{"error":"method not allowed"}');
          assert.equal(reply.headers['allow'], 'GET, HEAD, OPTIONS');
        }
      },
    })),
  ]),
  {
    name: 'application: its own routes answer as ever',
    async run(host) {
      const home = await get(host, '/');
      assert.equal(home.status, 200);
      assert.equal(home.body, '{"hello":"world"}');
      assert.equal(home.headers['cache-control'], undefined);
      assert.equal((await ask(host, 'POST', '/echo')).status, 201);
      assertApplication(await get(host, '/nowhere'));
      assert.equal((await get(host, '/boom')).status, 500);
    },
  },
];
