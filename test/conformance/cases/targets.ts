import { strict as assert } from 'node:assert';
import { type Case, recordsOf } from '../case.js';
import { isOurs, raw } from '../raw.js';

const setup: NonNullable<Case['setup']> = () => ({
  options: { page: true },
  versionCallback: () => ({ version: 'of lifesign' }),
});

/** What is served at the root and nowhere else. */
const served = ['/__version__', '/__heartbeat__', '/__lbheartbeat__', '/__health__.json'];

/** Ways past a rule for `/__` that some server resolves to it. */
const climbs: readonly ((path: string) => string)[] = [
  (path) => `/x/..${path}`,
  (path) => `/x/%2e%2e${path}`,
  (path) => `/x/%2E.${path}`,
  (path) => `/.${path}`,
  (path) => `/%2e${path}`,
  (path) => `/..${path}`,
  (path) => `/${path}`,
  (path) => `//${path}`,
  (path) => `${path}/.`,
  (path) => `${path}/%2e`,
  (path) => `${path}/x/..`,
  (path) => `${path}/../..${path}`,
  (path) => `\\${path.slice(1)}`,
  (path) => `/\\${path.slice(1)}`,
  (path) => `/x\\..\\${path.slice(1)}`,
  (path) => `${path};x`,
  (path) => `/;x${path}`,
  (path) => `${path}%2f`,
  (path) => `/%2f${path.slice(1)}`,
  (path) => `/%5F_${path.slice(3)}`,
  (path) => `${path}\t`,
  (path) => `/\t${path.slice(1)}`,
  (path) => `${path}#x`,
  (path) => `http://host/x/..${path}`,
  (path) => `http://host/${path}`,
  (path) => `http://host/%2e${path}`,
];

/** Fastify's router throws there at every absolute target, and HTTP/2 gives the session up at what is no path, with and without us. */
const onDeno = 'Deno' in globalThis;

export const targets: readonly Case[] = [
  {
    name: 'targets: no way around a path is answered by lifesign',
    setup,
    async run(host) {
      // Bun tells nobody what was sent: docs/frameworks.md says so.
      if (host.normalised === true) return;
      // All paths go through one rule, which targets.test.ts tries with generated ones.
      for (const [index, climb] of climbs.entries()) {
        const target = climb(served[index % served.length] ?? '');
        if (onDeno && target.startsWith('http')) continue;
        assert.ok(!isOurs((await raw(host, 'GET', target)).body), JSON.stringify(target));
      }
    },
  },
  {
    name: 'targets: the absolute form is matched by its path, and logged without scheme, host and password',
    setup,
    async run(host) {
      const origins = ['http://h', 'http://h:80', 'https://h', 'http://user:secret@h'];
      for (const origin of origins) {
        for (const path of [...served, '/__heartbeat__/', '/__heartbeat__?x=1']) {
          const { status, body } = await raw(host, 'GET', `${origin}${path}`);
          assert.ok(status === 200 && isOurs(body), `${origin}${path}: ${status} ${body}`);
        }
      }
      const each = served.length + 2;
      const records = await recordsOf(host, 'request.summary', origins.length * each);
      const paths = records.map(({ fields }) => fields['path']);
      const once = [...served, '/__heartbeat__/', '/__heartbeat__'];
      assert.deepEqual(
        paths,
        origins.flatMap(() => once),
      );
    },
  },
  {
    name: 'targets: an absolute form of the application is logged by its path',
    setup,
    async run(host) {
      if (onDeno) return;
      for (const target of ['http://user:secret@h/caf%C3%A9?x', 'http://h/a/b', 'http://h?x']) {
        assert.ok(!isOurs((await raw(host, 'GET', target)).body), target);
      }
      const records = await recordsOf(host, 'request.summary', 3);
      const paths = records.map(({ fields }) => fields['path']);
      assert.deepEqual(paths, ['/café', '/a/b', '/']);
      assert.ok(!JSON.stringify(records).includes('secret'));
    },
  },
  {
    name: 'targets: what is no path is answered by the application or its server',
    setup,
    async run(host) {
      if (onDeno) return;
      for (const target of [
        '*',
        '*/__heartbeat__',
        'http:/__heartbeat__',
        '?/__heartbeat__',
        '__heartbeat__',
        'h:1',
      ]) {
        for (const method of ['GET', 'OPTIONS']) {
          assert.ok(!isOurs((await raw(host, method, target)).body), `${method} ${target}`);
        }
      }
      assert.ok(isOurs((await raw(host, 'GET', '/__lbheartbeat__')).body));
    },
  },
];
