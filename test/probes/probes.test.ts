import { afterEach, describe, expect, it, vi } from 'vitest';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Error as ErrorMessage } from 'lifesign/checks';
import { signals, type VerdictEvent } from 'lifesign';
import { leave } from '../core/leave.js';
import { makeProbes } from './make-probes.js';

const bad = [new ErrorMessage('bad', { id: 'a.E1' })];
const all = ['/startupz', '/readyz', '/livez'];

afterEach(async () => {
  // What deadlines there are in this process share one timer: it must not be lost with this clock.
  await vi.runAllTimersAsync();
  vi.useRealTimers();
});

/** A check whose outcome the test sets, and how often it ran. */
function switched() {
  const check = Object.assign(() => (check.fails ? bad : []), { fails: false });
  const counted = vi.fn(check);
  return { counted, set: (fails: boolean) => (check.fails = fails) };
}

describe('the three paths', () => {
  it('answer as the endpoints of the contract do', async () => {
    const { ask } = await makeProbes();
    for (const path of all) {
      for (const target of [path, `${path}/`, `${path}?x=1`, `http://h${path}`]) {
        const { status, headers, body } = await ask(target);
        expect([status, body]).toEqual([200, '{"status":"pass"}']);
        expect(headers).toEqual({
          'Content-Type': 'application/json',
          Vary: 'Accept-Encoding',
          'Cache-Control': 'no-store',
          'Content-Length': '17',
        });
      }
      expect(await ask(path, 'HEAD')).toMatchObject({ status: 200, body: '' });
      expect(await ask(path, 'OPTIONS')).toMatchObject({ status: 204, body: '' });
      expect(await ask(path, 'POST')).toMatchObject({
        status: 405,
        headers: { Allow: 'GET, HEAD, OPTIONS' },
      });
    }
  });

  it('leave everything else to the application', async () => {
    const { handle } = await makeProbes();
    for (const target of ['/livezz', '//livez', '/livez//', '/%6Civez', '/x/../livez', '/LIVEZ', '/']) {
      expect(handle('GET', target, {})).toBeUndefined();
    }
  });

  it('are none where nobody asks for them, and lists where somebody does', async () => {
    const none = await makeProbes(false);
    for (const path of all) expect(none.handle('GET', path, {})).toBeUndefined();
    const { codes, handle } = await makeProbes({ live: ['/livez', '/health/live'], ready: [] });
    expect(await codes('/livez', '/health/live', '/startupz')).toEqual([200, 200, 200]);
    expect(handle('GET', '/readyz', {})).toBeUndefined();
  });
});

describe('readyz', () => {
  it('follows a check of this instance and not one that is shared', async () => {
    const { health, codes, after } = await makeProbes();
    const own = switched();
    health.check('own', own.counted);
    health.check('third', () => bad, { scope: 'shared' });
    health.check('capped', () => bad, { maxLevel: 'info' });
    expect(await codes('/readyz')).toEqual([200]);
    own.set(true);
    await after(1000);
    expect(await codes(...all)).toEqual([200, 503, 200]);
    own.set(false);
    await after(1000);
    expect(await codes(...all)).toEqual([200, 200, 200]);
  });

  it('fails while the process leaves', async () => {
    const { health, codes } = await makeProbes();
    expect(await codes(...all)).toEqual([200, 200, 200]);
    leave(health, false);
    expect(await codes(...all)).toEqual([200, 503, 200]);
  });

  it('waits for a run, but not for one that hangs', async () => {
    const { health, ask } = await makeProbes(true, { timeout: 60_000 });
    health.check('slow', () => new Promise<void>((resolve) => setTimeout(resolve, 300)));
    expect((await ask('/readyz')).status).toBe(200);
    health.check('hangs', () => new Promise<never>(() => {}));
    const before = performance.now();
    const { status, body } = await ask('/readyz');
    expect([status, JSON.parse(body)]).toEqual([503, { status: 'fail', reason: 'hangs: has not run yet' }]);
    expect(performance.now() - before).toBeLessThanOrEqual(600);
  });

  it('names nobody where the details are hidden, and is not verbose', async () => {
    const { health, ask } = await makeProbes(true, { details: false });
    health.check('secret', () => bad);
    for (const target of ['/readyz', '/readyz?verbose']) {
      const { headers, body } = await ask(target);
      expect(headers['Content-Type']).toBe('application/json');
      expect(JSON.parse(body)).toEqual({ status: 'fail', reason: 'this instance is at fault' });
    }
  });

  it('is verbose as Kubernetes is', async () => {
    const { health, ask, after } = await makeProbes();
    const own = switched();
    health.check('own', own.counted);
    health.check('third', () => bad, { scope: 'shared' });
    health.check('two\nlines', () => []);
    await ask('/readyz');
    own.set(true);
    await after(1000);
    const { status, headers, body } = await ask('/readyz?verbose');
    expect([status, headers['Content-Type']]).toEqual([503, 'text/plain; charset=utf-8']);
    expect(body).toBe(
      '[+]started ok\n[+]draining ok\n[-]own failed: instance: by its scope (a.E1: bad)\n' +
        '[+]third excluded: has not passed yet; shared: by its scope (a.E1: bad)\n[+]two\\u000alines ok\nreadyz check failed\n',
    );
    expect((await ask('/livez?verbose=1')).body).toContain('[+]event_loop ok\n[+]own excluded:');
    expect((await ask('/startupz?x=2&verbose')).body).toBe('[+]started ok\nstartupz check passed\n');
    leave(health);
    expect((await ask('/readyz?verbose')).body).toMatch(/^\[\+\]started ok\n\[-\]draining failed\n/);
  });
});

describe('startupz', () => {
  it('passes once the server listens, which a request shows', async () => {
    const { codes } = await makeProbes();
    expect(await codes('/startupz', '/readyz')).toEqual([200, 200]);
  });

  it("waits for health.started() with startWhen: 'called'", async () => {
    const { health, codes } = await makeProbes({ startWhen: 'called' });
    expect(await codes(...all)).toEqual([503, 503, 200]);
    const { started } = health;
    started();
    expect(await codes(...all)).toEqual([200, 200, 200]);
  });

  it("waits for every check with startWhen: 'checks', each passed once", async () => {
    const { health, codes, after } = await makeProbes({ startWhen: 'checks' });
    const one = switched();
    const two = switched();
    health.check('one', one.counted);
    health.check('two', two.counted);
    health.check('capped', () => bad, { maxLevel: 'info' });
    two.set(true);
    expect(await codes('/startupz')).toEqual([503]);
    one.set(true);
    two.set(false);
    await after(1000);
    expect(await codes('/startupz')).toEqual([200]);
    // It never goes back.
    two.set(true);
    health.check('late', () => bad);
    await after(5000);
    expect(await codes(...all)).toEqual([200, 503, 200]);
  });
});

describe('runs for the probes', () => {
  it('come at most once in probeEvery, however many ask', async () => {
    const { health, handle, after } = await makeProbes();
    const { counted } = switched();
    health.check('counted', counted);
    for (let storm = 0; storm < 10; storm += 1) {
      for (let probe = 0; probe < 100; probe += 1) void handle('GET', '/readyz', {});
      await after(100);
    }
    // At the start, and at the end of that second.
    expect(counted.mock.calls.length).toBeLessThanOrEqual(2);
  });

  it('come up to a quarter later by chance, so that a fleet does not run them in step', async () => {
    const { health, ask, after } = await makeProbes();
    const { counted } = switched();
    health.check('counted', counted);
    vi.spyOn(Math, 'random').mockReturnValue(0.99);
    await ask('/readyz');
    await ask('/readyz');
    await after(1200);
    expect(counted).toHaveBeenCalledTimes(1);
    await after(60);
    expect(counted).toHaveBeenCalledTimes(2);
  });

  it('go on in the background while somebody asks, and not otherwise', async () => {
    const { health, ask, after } = await makeProbes();
    const { counted } = switched();
    health.check('counted', counted);
    await ask('/readyz');
    await ask('/readyz');
    await after(10_000);
    expect(counted).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('end when the Health is closed', async () => {
    const { health, ask, after } = await makeProbes();
    health.check('one', () => []);
    await ask('/readyz');
    await ask('/readyz');
    await after(600);
    expect(vi.getTimerCount()).toBe(1);
    health.close();
    expect(vi.getTimerCount()).toBe(0);
    expect((await ask('/readyz')).status).toBe(200);
  });

  it('share a heartbeat, and heartbeats count as runs', async () => {
    const { health, codes, after, ask } = await makeProbes({ failureThreshold: 2 });
    const own = switched();
    health.check('own', own.counted);
    await ask('/readyz');
    own.set(true);
    for (const expected of [200, 503]) {
      await after(1000);
      await health.heartbeat();
      const runs = own.counted.mock.calls.length;
      expect(await codes('/readyz')).toEqual([expected]);
      expect(own.counted.mock.calls.length).toBe(runs);
    }
  });

  it('do not count a cached result twice', async () => {
    const { health, codes, after, ask } = await makeProbes({ failureThreshold: 2 });
    const own = switched();
    health.check('own', own.counted, { cacheFor: 20_000 });
    await ask('/readyz');
    own.set(true);
    await after(21_000);
    expect(await codes('/readyz')).toEqual([200]);
    await after(2000);
    expect(await codes('/readyz')).toEqual([200]);
    await after(40_000);
    expect(await codes('/readyz')).toEqual([503]);
  });

  it('do not wait for livez, which asks nothing where nothing can be wedged', async () => {
    const { health, handle } = await makeProbes(true, { timeout: 60_000 });
    const hangs = vi.fn(() => new Promise<never>(() => {}));
    health.check('hangs', hangs);
    expect(handle('GET', '/livez', {})).toMatchObject({ status: 200 });
    await vi.advanceTimersByTimeAsync(100);
    expect(hangs).not.toHaveBeenCalled();
    health.check('wedged', () => [], { restartAfter: 1000 });
    expect(handle('GET', '/livez', {})).toMatchObject({ status: 200 });
    await vi.advanceTimersByTimeAsync(100);
    expect(hangs).toHaveBeenCalledOnce();
  });

  it('are none inside a check that asks', async () => {
    const { health, handle, codes } = await makeProbes();
    health.check('asks', async () => void (await handle('GET', '/readyz', {})));
    expect((await codes('/readyz'))[0]).toBe(503);
    expect(await codes('/readyz')).toEqual([200]);
  });
});

describe('a change of a verdict', () => {
  it('is told once: to the log, the listeners and the results', async () => {
    const { health, records, ask, after } = await makeProbes({ restartAfter: 2000 });
    const own = switched();
    health.check('own', own.counted);
    const heard: VerdictEvent[] = [];
    const modules: VerdictEvent[] = [];
    const channels: unknown[] = [];
    const onChannel = (message: unknown) => void channels.push(message);
    health.on('verdictChanged', (event) => void heard.push(event));
    const onModule = (event: VerdictEvent) => void modules.push(event);
    signals.on('verdictChanged', onModule);
    subscribe('lifesign.verdictChanged', onChannel);
    await ask('/readyz');
    own.set(true);
    for (let probe = 0; probe < 30; probe += 1) {
      await after(200);
      await ask('/readyz');
    }
    signals.off('verdictChanged', onModule);
    unsubscribe('lifesign.verdictChanged', onChannel);
    expect(heard.map(({ live, ready, started }) => [live, ready, started].join())).toEqual([
      'pass,pass,pass',
      'pass,fail,pass',
      'fail,fail,pass',
    ]);
    expect(heard.at(-1)).toEqual({
      live: 'fail',
      ready: 'fail',
      started: 'pass',
      checks: [{ name: 'own', scope: 'instance', evidence: 'by its scope' }],
      health,
    });
    expect(modules).toEqual(heard);
    expect(channels).toEqual(heard);
    expect(records.map(({ logger, level, msg }) => `${logger} ${level} ${msg}`)).toEqual([
      'health.probes 20 startupz passes',
      'health.probes 20 readyz passes',
      'health.checks 40 a.E1: bad',
      'health.probes 40 own fails, instance: by its scope',
      'health.probes 40 readyz fails: own: instance: by its scope',
      'health.probes 40 livez fails: own has failed for longer than its restartAfter: instance: by its scope',
    ]);
    const body =
      '{"status":"error","checks":{"own":"error"},"details":{"own":{"status":"error","level":40,"messages":{"a.E1":"bad"}}}}';
    expect((await ask('/__heartbeat__')).body).toBe(body);
    const { results } = await health.heartbeat();
    expect(results[0]).toMatchObject({ scope: 'instance', evidence: 'by its scope' });
    own.set(false);
    expect((await health.heartbeat()).results[0]).not.toHaveProperty('scope');
  });

  it('survives a listener that throws', async () => {
    const { health, codes, records } = await makeProbes();
    health.on('verdictChanged', () => {
      throw new Error('listener');
    });
    expect(await codes(...all)).toEqual([200, 200, 200]);
    expect(records.map(({ msg }) => msg)).toContain('A listener for verdictChanged threw');
  });
});
