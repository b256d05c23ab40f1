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
  {
    name: 'paths: the three answer alike with a slash at their end and with a query; nothing else is matched',
    async run(host) {
      for (const path of paths) {
        const plain = await get(host, path);
        for (const same of [`${path}/`, `${path}?x=1`, `${path}/?x=1&y=/`, `${path}?`]) {
          assertJson(await get(host, same), plain.status, plain.body);
        }
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
          path.toUpperCase(),
          path.replace('_', '%5F'),
        ]) {
          assertApplication(await get(host, other));
        }
      }
    },
  },
  {
    name: 'methods: OPTIONS is 204 with Allow and without a body, others are 405 with Allow',
    async run(host) {
      for (const path of paths) {
        const options = await ask(host, 'OPTIONS', path);
        assert.deepEqual([options.status, options.body], [204, '']);
        assert.equal(options.headers['allow'], 'GET, HEAD, OPTIONS');
        assert.equal(options.headers['vary'], 'Accept-Encoding');
        assert.equal(options.headers['cache-control'], 'no-store');
        for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
          for (const target of [path, `${path}/?x=1`]) {
            const reply = await ask(host, method, target);
            assertJson(reply, 405, '{"error":"method not allowed"}');
            assert.equal(reply.headers['allow'], 'GET, HEAD, OPTIONS');
          }
        }
      }
    },
  },
  {
    name: 'application: its own routes answer as ever, and the paths of features that are off',
    async run(host) {
      const home = await get(host, '/');
      assert.equal(home.status, 200);
      assert.equal(home.body, '{"hello":"world"}');
      assert.equal(home.headers['cache-control'], undefined);
      assert.equal((await ask(host, 'POST', '/echo')).status, 201);
      assert.equal((await get(host, '/boom')).status, 500);
      for (const path of [
        '/nowhere',
        '/__heartbeat__/payments',
        '/startupz',
        '/readyz',
        '/livez',
        '/__metrics__',
        '/shop/__lbheartbeat__',
      ]) {
        assertApplication(await get(host, path));
      }
    },
  },
];
