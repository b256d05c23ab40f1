import { PgBoss } from 'pg-boss';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkBrokerConnected } from 'lifesign/checks';
import { checks } from 'lifesign/node';
import { canStart, startService } from '../../services/index.js';
import { watch } from './see.js';

// pg-boss tells every two seconds what its workers do.
const stalledAfter = 5000;

describe.skipIf(!canStart('postgres'))('pg-boss 12', () => {
  it('is seen in every state', async () => {
    const server = await startService('postgres');
    onTestFinished(() => server.stop());
    const boss = new PgBoss({ connectionString: server.url, max: 4 });
    boss.on('error', () => {});
    const { health, see, ok } = watch(checks.progress({ consumer: boss, queue: 'jobs', stalledAfter }));
    const broker = watch(checkBrokerConnected(boss));
    await see('health.E038 pg-boss is not started');
    await broker.see('health.E032');
    await boss.start();
    await boss.createQueue('jobs');
    let hang: Promise<void> | undefined;
    let done = 0;
    await boss.work('jobs', { pollingIntervalSeconds: 0.5 }, async () => {
      await hang;
      done += 1;
    });
    await see('ok');
    await ok(stalledAfter);
    await boss.send('jobs', {});
    await expect.poll(() => done, { timeout: 10_000 }).toBe(1);
    let release = () => {};
    hang = new Promise((resolve) => {
      release = resolve;
    });
    for (let round = 0; round < 4; round += 1) await boss.send('jobs', {});
    await see('health.E036 No progress on jobs');
    release();
    hang = undefined;
    await see('ok');
    await server.kill();
    await see('health.E038 ECONNREFUSED');
    await server.restart();
    await see('ok');
    await boss.stop({ graceful: false });
    await see('health.E037 stopped pg-boss');
    await broker.see('health.E032');
    await boss.start();
    await see('ok');
    await broker.see('ok');
    await boss.stop({ graceful: false });
    health.close();
    broker.health.close();
  });
});
