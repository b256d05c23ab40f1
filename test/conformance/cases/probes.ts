import { strict as assert } from 'node:assert';
import { checks } from 'lifesign';
import { ask, assertApplication, assertHeaders, assertJson, type Case, get } from '../case.js';

const { Error: ErrorMessage } = checks;
const paths = ['/startupz', '/readyz', '/livez'];
const pass = '{"status":"pass"}';
const bad = () => [new ErrorMessage('It is down', { id: 'a.E1' })];

export const probeCases: readonly Case[] = [
  {
    name: 'probes: three paths, as the endpoints are served',
    setup: () => ({ options: { probes: true }, checks: { fine: () => [] } }),
    async run(host) {
      for (const path of paths) {
        for (const target of [path, `${path}/`, `${path}?x=1`, `${path}/?x`]) {
          assertJson(await get(host, target), 200, pass);
        }
        for (const method of ['HEAD', 'OPTIONS', 'POST', 'DELETE']) {
          const [probe, endpoint] = [
            await ask(host, method, path),
            await ask(host, method, '/__lbheartbeat__'),
          ];
          assert.deepEqual(
            [probe.status, probe.headers['allow']],
            [endpoint.status, endpoint.headers['allow']],
          );
          assert.equal(probe.body, endpoint.body);
        }
        assertHeaders(await ask(host, 'HEAD', path), pass.length);
      }
    },
  },
  {
    name: 'probes: without the option the paths are the application’s, with it only exactly these',
    setup: () => ({ options: { probes: { live: ['/livez', '/health/live'], ready: [] } } }),
    async run(host) {
      assertJson(await get(host, '/health/live'), 200, pass);
      for (const path of ['/readyz', '/livezz', '//livez', '/LIVEZ', '/health', '/health/live/x']) {
        assertApplication(await get(host, path));
      }
    },
  },
  {
    name: 'probes: shared trouble fails none of them, that of this instance fails readyz',
    setup: () => ({
      options: { probes: true, checkOptions: { third: { scope: 'shared' } } },
      checks: { third: bad },
    }),
    async run(host) {
      for (const path of paths) assertJson(await get(host, path), 200, pass);
      assert.equal((await get(host, '/__heartbeat__')).status, 500);
      host.health.check('own', bad);
      const reason = 'own: has not passed yet; instance: by its scope';
      assertJson(await get(host, '/readyz'), 503, JSON.stringify({ status: 'fail', reason }));
      for (const path of ['/startupz', '/livez']) assertJson(await get(host, path), 200, pass);
      const verbose = await get(host, '/readyz?verbose');
      assert.equal(verbose.headers['content-type'], 'text/plain; charset=utf-8');
      assert.match(verbose.body, /^\[\+\]started ok\n[^]*\[-\]own failed: [^\n]*\nreadyz check failed\n$/);
    },
  },
  {
    name: 'probes: not started before health.started() with startWhen called',
    setup: () => ({ options: { probes: { startWhen: 'called' } } }),
    async run(host) {
      const body = '{"status":"fail","reason":"the application has not started"}';
      assertJson(await get(host, '/startupz'), 503, body);
      assertJson(await get(host, '/readyz'), 503, body);
      assertJson(await get(host, '/livez'), 200, pass);
      host.health.started();
      for (const path of paths) assertJson(await get(host, path), 200, pass);
    },
  },
];
