import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { cases } from '../../conformance/cases/index.js';
import { lbheartbeat } from '../../conformance/cases/lbheartbeat.js';
import { version } from '../../conformance/cases/version.js';
import { pause, until } from '../../core/waiting.js';
import { startLoad } from '../../faults/load.js';
import { canStart, startService } from '../../services/index.js';
import { runCases } from '../cases.js';
import { installInto, type Running, start } from '../start.js';
import { built, type Framework } from './fixture.js';

type Started = NonNullable<Parameters<typeof start>[1]>;

/** A request whose client leaves after the first bytes of the answer. */
async function leave(app: Running, path: string): Promise<void> {
  const sent = request(app.origin + path, { agent: false })
    .on('error', () => {})
    .end();
  const [response] = await once(sent, 'response');
  response.on('error', () => {});
  await once(response, 'data');
  sent.destroy();
}

/** What was logged, once there are as many, after a moment for those that must not come. */
async function logged(app: Running, count: number): Promise<readonly string[]> {
  await app.summaries(count);
  await pause(300);
  return (await app.summaries(count)).map(({ method, path, code }) => `${method} ${path} ${code}`).toSorted();
}

/** Restarts two instances behind HAProxy, one after the other, under POSTs over keep-alive connections. */
async function rollingRestart(begin: (started: Started) => Promise<Running>) {
  // Longer than HAProxy takes to notice on a machine whose processors are all busy: with 1500 ms it sent requests to a closed port there.
  const env = { HEALTH_DRAIN: 'true', HEALTH_DRAIN_DELAY: '5000ms', HEALTH_DRAIN_FAIL_LBHEARTBEAT: 'true' };
  const apps = [await begin({ env }), await begin({ env })];
  // On a busy machine a check of a healthy instance took 9 s: past its limit, HAProxy has no instance left while the other one drains, and answers 503 itself.
  const args = [...apps.map(({ port }) => `127.0.0.1:${port}`), 'timeout check 60s'];
  const proxy = await startService('haproxy', { args });
  try {
    const bothUp = async () => {
      const csv = await (await fetch(`${proxy.url}/haproxy-stats;csv`)).text();
      return csv.split('\n').filter((line) => /^web,s\d,.*,UP,.*L7OK/.test(line)).length === 2;
    };
    await until(bothUp);
    const load = startLoad([proxy.url], 8, '/echo', 10);
    for (const [index, app] of apps.entries()) {
      await pause(300);
      app.child.kill('SIGTERM');
      await app.exited;
      apps[index] = await begin({ env, port: app.port });
      await until(bothUp);
    }
    await load.stop();
    return {
      failures: load.failures,
      answered: load.answered(),
      stderr: apps.map((app) => app.stderr()).join(''),
    };
  } finally {
    await proxy.stop();
  }
}

interface Beside {
  /** More requests of this framework, and what is logged of them. */
  readonly more?: (app: Running) => Promise<readonly string[]>;
  /** The exit code that its own handlers choose after a drain; the signal if it has none, as without lifesign. */
  readonly exits?: number | 'SIGTERM';
}

/** The first way to start a framework in `npm test`, every way in `npm run test:auto`. */
const startsOf = ({ starts }: Framework) =>
  Object.entries(starts).slice(0, process.env['WHOLE'] === 'true' ? undefined : 1);

/** Proves one framework: unmodified, built for production, started with nothing but variables. */
export function prove(framework: Framework, { more, exits = 0 }: Beside = {}): void {
  describe(framework.name, () => {
    let directory = '';
    beforeAll(async () => {
      directory = await built(framework);
    });

    describe.each(startsOf(framework))('%s', (_name, { args, in: folder = '.' }) => {
      const begin = (started: Started) => {
        const cwd = join(directory, folder);
        installInto(cwd);
        return start(args, { cwd, ...started });
      };

      test('keeps the contract where that needs no code', async () => {
        // Those of the endpoints: what is not ours gets the framework's own pages.
        const ours = [
          ...lbheartbeat,
          ...version,
          ...cases.filter(({ name }) => name.startsWith('endpoints')),
        ];
        const { ran, failed } = await runCases(ours, (env) => begin({ env }));
        expect(failed).toEqual([]);
        expect(ran.length).toBeGreaterThan(2);
      });

      test('logs one summary a request', async () => {
        const app = await begin({});
        const expected = [
          'GET / 200',
          'GET /stream 200',
          'POST /echo 200',
          'GET /nowhere 404',
          'GET /__heartbeat__ 200',
        ];
        expect(await (await fetch(`${app.origin}/`)).text()).toContain('Hello from');
        expect(await (await fetch(`${app.origin}/stream`)).text()).toContain('the end of the stream');
        const echo = await fetch(`${app.origin}/echo`, { method: 'POST', body: 'x'.repeat(100_000) });
        expect((await echo.text()).length).toBe(100_000);
        const nowhere = framework.sources.includes('http-proxy') ? 200 : 404;
        expect((await fetch(`${app.origin}/nowhere`)).status).toBe(nowhere);
        expected[3] = `GET /nowhere ${nowhere}`;
        const heartbeat = await fetch(`${app.origin}/__heartbeat__`);
        expect(await heartbeat.text()).toBe('{"status":"ok","checks":{},"details":{}}');
        await app.summaries(expected.length);
        await leave(app, '/stream');
        expected.push(expect.stringMatching(/^GET \/stream (?:200|499)$/));
        expected.push(...((await more?.(app)) ?? []));
        expect(await logged(app, expected.length)).toEqual(expect.arrayContaining(expected));
        expect(await app.summaries(0)).toHaveLength(expected.length);
        app.child.kill('SIGKILL');
      });

      test('ends as the framework ends, after the drain', async () => {
        const app = await begin({ env: { HEALTH_DRAIN: 'true', HEALTH_DRAIN_DELAY: '300ms' } });
        await fetch(app.origin);
        const open = fetch(`${app.origin}/stream`).then((answer) => answer.text());
        await until(() => app.lines().length > 0);
        app.child.kill('SIGTERM');
        expect(await open).toContain('the end of the stream');
        expect(await app.exited).toEqual(
          exits === 'SIGTERM' ? { code: null, signal: exits } : { code: exits, signal: null },
        );
        expect(app.stdout()).toContain('Drained');
        expect(app.stderr()).not.toMatch(/ERR_SERVER_NOT_RUNNING|lifesign/);
      });

      test.skipIf(!canStart('haproxy'))('loses no request in a rolling restart behind HAProxy', async () => {
        const { failures, answered } = await rollingRestart(begin);
        console.log(
          `[auto] ${framework.name}: ${failures.length} of ${answered} POSTs lost in a rolling restart`,
        );
        expect(failures).toEqual([]);
        expect(answered).toBeGreaterThan(50);
      });
    });
  });
}
