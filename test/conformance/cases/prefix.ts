import { strict as assert } from 'node:assert';
import { ask, assertApplication, assertJson, type Case, get } from '../case.js';

const up = '{"status":"ok"}';

export const prefixCases: readonly Case[] = [
  {
    name: 'prefix: every endpoint answers under it as well, alike',
    setup: () => ({
      options: {
        prefix: '/shop/eu',
        probes: { live: ['/livez', '/health/live'] },
        page: { path: '/ops/page' },
        metrics: true,
        groups: { payments: ['fine'] },
      },
      checks: { fine: () => [] },
    }),
    async run(host) {
      const paths = [
        '/__lbheartbeat__',
        '/__heartbeat__',
        '/__heartbeat__/payments',
        '/__version__',
        '/livez',
        '/health/live',
        '/readyz',
        '/startupz',
      ];
      for (const [index, path] of paths.entries()) {
        const bare = await get(host, path);
        const [end, method] = [
          ['', '/', '?x=1', '/?x'][index % 4],
          ['HEAD', 'OPTIONS', 'POST'][index % 3] ?? '',
        ];
        assertJson(await get(host, `/shop/eu${path}${end}`), bare.status, bare.body);
        const [one, other] = [await ask(host, method, path), await ask(host, method, `/shop/eu${path}`)];
        assert.deepEqual([other.status, other.body], [one.status, one.body]);
      }
      for (const path of ['/ops/page.json', '/__metrics__']) {
        assert.equal((await get(host, `/shop/eu${path}`)).status, 200, path);
      }
      assert.match((await get(host, '/shop/eu/ops/page')).body, /href="page\.json"/);
      const moved = await get(host, '/shop/eu/ops/page/');
      assert.deepEqual([moved.status, moved.headers['location']], [308, '../page']);
    },
  },
  {
    name: 'prefix: only exactly it',
    setup: () => ({ options: { prefix: '/shop' } }),
    async run(host) {
      assertJson(await get(host, '/shop/__lbheartbeat__'), 200, up);
      for (const path of [
        '/shop',
        '/shop/',
        '/shop__lbheartbeat__',
        '/SHOP/__lbheartbeat__',
        '//shop/__lbheartbeat__',
        '/shop//__lbheartbeat__',
        '/shop/shop/__lbheartbeat__',
        '/x/shop/__lbheartbeat__',
        '/sho%70/__lbheartbeat__',
      ]) {
        assertApplication(await get(host, path));
      }
    },
  },
];
