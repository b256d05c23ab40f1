import { afterEach, describe, expect, it } from 'vitest';
import type { DrainOptions } from 'lifesign/drain';
import { until } from '../core/waiting.js';
import { canStart, startService } from '../services/index.js';
import { type App, startApp } from './app.js';
import { startLoad } from './load.js';
import { whole } from '../whole.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Restarts two instances behind HAProxy one after the other under load; tells what the clients saw. */
async function rollingRestart(options: DrainOptions, signal: NodeJS.Signals = 'SIGTERM') {
  const apps: App[] = [await startApp(options), await startApp(options)];
  ends.push(() => apps.forEach((app) => app.signal('SIGKILL')));
  const proxy = await startService('haproxy', { args: apps.map(({ port }) => `127.0.0.1:${port}`) });
  ends.push(() => proxy.stop());
  const bothUp = async () => {
    const csv = await (await fetch(`${proxy.url}/haproxy-stats;csv`)).text();
    return csv.split('\n').filter((line) => /^web,s\d,.*,UP,.*L7OK/.test(line)).length === 2;
  };
  await until(bothUp);

  const load = startLoad([proxy.url], 16, '/?wait=50');
  ends.push(() => load.stop());
  const codes: unknown[] = [];
  for (const [index, app] of apps.entries()) {
    // Requests are in progress, of which the instance has half.
    const before = load.answered();
    await until(() => load.answered() > before + 50);
    app.signal(signal);
    codes.push((await app.exited()).code);
    apps[index] = await startApp(options, '', app.port);
    await until(bothUp);
  }
  await load.stop();
  return { codes, failures: load.failures, answered: load.answered() };
}

describe.skipIf(!canStart('haproxy'))('a rolling restart of two instances behind HAProxy, under load', () => {
  it('loses no request where HAProxy asks /__lbheartbeat__ and failLbheartbeat is set', async () => {
    const { codes, failures, answered } = await rollingRestart({ delay: 2500, failLbheartbeat: true });
    console.log(`[fault] rolling restart: ${failures.length} of ${answered} failed`);
    expect(failures).toEqual([]);
    expect(codes).toEqual([0, 0]);
    expect(answered).toBeGreaterThan(100);
  });

  it.runIf(whole)('loses requests where an instance is killed: the load can see a failure', async () => {
    const { failures } = await rollingRestart({ delay: 0 }, 'SIGKILL');
    expect(failures.length).toBeGreaterThan(0);
  });
});
