import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checks } from 'lifesign/node';
import { canStart, startService } from '../../services/index.js';
import { listenersOf, pause, watch } from './see.js';

const stalledAfter = 1500;

describe.skipIf(!canStart('postgres'))('graphile-worker', () => {
  it.each([false, true])('is seen in every state, local queue %j', async (local) => {
    const server = await startService('postgres');
    onTestFinished(() => server.stop());
    const pgPool = new pg.Pool({ connectionString: server.url, max: 5 });
    pgPool.on('error', () => {});
    pgPool.on('connect', (client) => client.on('error', () => {}));
    let hang: Promise<void> | undefined;
    let done = 0;
    const runner = await run({
      pgPool,
      concurrency: 2,
      pollInterval: 200,
      noHandleSignals: true,
      logger: new Logger(() => () => {}),
      ...(local && { preset: { worker: { localQueue: { size: 10 } } } }),
      taskList: {
        job: async (payload) => {
          await hang;
          if (Object(payload).poison === true) throw new Error('It fails');
          done += 1;
        },
      },
    });
    runner.promise.catch(() => {});
    const before = listenersOf(runner.events);
    const { health, see, ok } = watch(checks.progress({ name: 'jobs', consumer: runner, stalledAfter }));
    await ok(stalledAfter * 2);
    await runner.addJob('job', {});
    await expect.poll(() => done, { timeout: 10_000 }).toBe(1);
    await ok(500);

    let release = () => {};
    hang = new Promise((resolve) => {
      release = resolve;
    });
    await runner.addJob('job', {});
    await see('health.E036 No progress on jobs');
    release();
    hang = undefined;
    await see('ok');

    await runner.addJob('job', { poison: true }, { maxAttempts: 3 });
    await ok(1000);

    server.freeze();
    if (!local) await see('health.E038 PostgreSQL has not answered');
    server.thaw();
    await see('ok');
    // It does not catch that the end of a job cannot be written.
    const unfinished =
      'SELECT id FROM graphile_worker.jobs WHERE attempts < max_attempts OR locked_at IS NOT NULL';
    await expect
      .poll(async () => (await pgPool.query(unfinished)).rows, { timeout: 60_000, interval: 200 })
      .toEqual([]);
    await pause(100);
    await server.kill();
    if (!local) await see('health.E038 ECONNREFUSED');
    await server.restart();
    await see('ok');
    const count = done;
    await expect
      .poll(() => runner.addJob('job', {}).catch(() => undefined), { timeout: 10_000 })
      .toBeDefined();
    await expect.poll(() => done, { timeout: 20_000 }).toBeGreaterThan(count);

    health.close();
    expect(listenersOf(runner.events)).toEqual(before);
    const again = watch(checks.progress({ consumer: runner, stalledAfter }));
    await again.see('ok');
    await runner.stop();
    await again.see('health.E037 stopped');
    again.health.close();
  });
});
