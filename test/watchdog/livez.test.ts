import { describe, expect, it } from 'vitest';
import { until } from '../core/waiting.js';
import { probeBody } from '../probes/schema.js';
import { ask as askLoop, gate, start, watchdogOf } from './start.js';

/** An answer without what differs from one to the next. */
async function livez(origin: string, path = '/livez', method = 'GET') {
  const answer = await fetch(`${origin}${path}`, { method });
  const {
    date: _date,
    connection: _connection,
    'keep-alive': _alive,
    ...headers
  } = Object.fromEntries(answer.headers);
  return { status: answer.status, headers, body: await answer.text() };
}
const verdictOf = async (origin: string, path?: string) => {
  const { status, body } = await livez(origin, path);
  return probeBody(status, body);
};

describe('/livez on the port of a watchdog', () => {
  it('answers as the application does, to every method and form of the path', async () => {
    const probes = { live: ['/livez', '/health/live'] };
    const app = await start({ probes }, { env: { HEALTH_PREFIX: '/shop' } });
    const watchdog = await watchdogOf(app);
    for (const path of ['/livez', '/livez/', '/livez?x=1', '/health/live', '/livez?verbose', '/shop/livez']) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
        // Only the application has the checks to be verbose about.
        if (path.endsWith('verbose') && method !== 'POST') continue;
        expect(await livez(watchdog, path, method)).toEqual(await livez(app.origin, path, method));
      }
    }
    expect(await verdictOf(watchdog, '/livez?verbose')).toEqual({ status: 'pass' });
    for (const path of ['/__lbheartbeat__', '/__lbheartbeat__/', '/shop/__lbheartbeat__/?x']) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH'])
        expect(await livez(watchdog, path, method)).toEqual(await livez(app.origin, path, method));
    }
    const others = ['/', '/__heartbeat__', '/__version__', '/__lbheartbeat__x', '//__lbheartbeat__'];
    for (const path of ['/readyz', '/startupz', '/shop', '/livezz', '//livez', '/LIVEZ', ...others]) {
      expect(await livez(watchdog, path)).toMatchObject({ status: 404, body: '{"error":"not found"}' });
    }
  });

  it('passes while the event loop is busy, fails while it is stuck, and passes after that', async () => {
    const { path, open } = gate();
    const app = await start({
      probes: {},
      watchdog: { port: 0, busyAfter: 300, stuckAfter: 2500 },
    });
    const watchdog = await watchdogOf(app);
    expect(await verdictOf(watchdog)).toEqual({ status: 'pass' });
    app.send(`/until?file=${path}`);
    await until(async () => (await askLoop(watchdog)).state !== 'ok');
    const seen = new Set<string>();
    await until(async () => {
      const [before, verdict, after] = [
        await askLoop(watchdog),
        await verdictOf(watchdog),
        await askLoop(watchdog),
      ];
      // What changed between two questions says nothing.
      if (before.state === after.state) {
        seen.add(before.state);
        expect(verdict.status).toBe(before.state === 'stuck' ? 'fail' : 'pass');
        if (verdict.status === 'fail')
          expect(verdict.reason).toMatch(/^the event loop has been blocked for \d+ ms$/);
      }
      return seen.has('stuck');
    });
    expect(seen).toContain('busy');
    open();
    await until(async () => (await verdictOf(watchdog)).status === 'pass');
  });
});

it('/livez there fails for a wedged check, though nobody asks the application', async () => {
  const app = await start({ probes: { restartAfter: 500, probeEvery: 100 } });
  const watchdog = await watchdogOf(app);
  expect(await verdictOf(watchdog)).toEqual({ status: 'pass' });
  // So that it has passed once, by a question to this port.
  await until(async () => {
    await verdictOf(watchdog);
    return (await app.get('/runs')) !== '0';
  });
  await app.get('/break');
  await until(async () => (await verdictOf(watchdog)).status === 'fail');
  expect(await verdictOf(watchdog)).toEqual({ status: 'fail', reason: 'a restart would help' });
  expect(await verdictOf(app.origin)).toMatchObject({ status: 'fail' });
  await app.get('/mend');
  await until(async () => (await verdictOf(watchdog)).status === 'pass');
});

it('/livez is not there without probes', async () => {
  const app = await start();
  expect((await livez(await watchdogOf(app))).status).toBe(404);
});
