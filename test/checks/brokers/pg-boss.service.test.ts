import PgBoss from 'pg-boss';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { canStart, startService } from '../../services/index.js';
import { freePort } from '../../services/port.js';
import type { RunningService } from '../../services/service.js';
import { type Behaviour, pause, planted, Stage, worksAgain } from './stage.js';

/** pg-boss tells every two seconds what its workers do. */
const stalledAfter = 4000;

describe.skipIf(!canStart('postgres'))('pg-boss', () => {
  let server: RunningService;
  const opened: PgBoss[] = [];

  beforeAll(async () => {
    server = await startService('postgres');
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(`CREATE USER ${planted.user} PASSWORD '${planted.password}' SUPERUSER`);
    await admin.end();
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => Promise.race([each.stop({ graceful: false }), pause(1000)])));
    await server?.stop();
  });

  function open(port = server.port, password: string = planted.password): PgBoss {
    const boss = new PgBoss({
      host: '127.0.0.1',
      port,
      user: planted.user,
      password,
      database: 'postgres',
      max: 4,
      schedule: false,
    });
    boss.on('error', () => {});
    opened.push(boss);
    return boss;
  }

  it('is seen in every state', { timeout: 180_000 }, async () => {
    const stage = new Stage('pg-boss');
    const boss = open();
    const queue = 'jobs';
    const watch = stage.watch(boss, { consumer: boss, queue, stalledAfter }, 1000);
    await watch.see('not started', { broker: 'health.E032', progress: 'health.E038' });
    await boss.start();
    await boss.createQueue(queue);
    let behaviour: Behaviour = 'work';
    let done = 0;
    const work = () =>
      boss.work<{ poison?: boolean }>(queue, { pollingIntervalSeconds: 0.5 }, async ([job]) => {
        await worksAgain(() => behaviour);
        if (job?.data.poison === true) throw new Error('It fails for ever');
        done += 1;
      });
    const unfinished = () => boss.getQueueSize(queue, { before: 'completed' });
    await work();
    await boss.send(queue, {});
    await watch.see('up', { broker: 'ok', progress: 'ok' });
    await expect.poll(() => done, { timeout: 10_000 }).toBe(1);

    await boss.send(queue, {}, { startAfter: 3600 });
    await boss.send(queue, { poison: true }, { retryLimit: 1000, retryDelay: 0 });
    for (let round = 0; round < 14; round += 1) {
      await boss.send(queue, {});
      await watch.good();
      await pause(500);
    }
    await watch.see('a poisoned job keeps failing, others go on, one is for later', {
      broker: 'ok',
      progress: 'ok',
    });
    // The poisoned job may be at work: it is waiting again, and purged, a moment later.
    await expect.poll(() => boss.purgeQueue(queue).then(unfinished), { timeout: 10_000 }).toBe(0);
    await watch.see('the queue is empty', { broker: 'ok', progress: 'ok' });

    behaviour = 'hang';
    for (let round = 0; round < 4; round += 1) await boss.send(queue, {});
    await watch.see('the worker hangs in its job', { broker: 'ok', progress: 'health.E036' });
    behaviour = 'work';
    await watch.see('it goes on', { broker: 'ok', progress: 'ok' });

    server.freeze();
    await watch.see('frozen', { broker: ['health.E012', 'health.E013'], progress: 'health.E038' });
    server.thaw();
    await watch.see('thawed', { broker: 'ok', progress: 'ok' });

    // pg-boss does not wait for the end of a job to be written: where that fails, nobody catches it.
    await expect.poll(unfinished, { timeout: 10_000 }).toBe(0);
    await pause(100);
    await server.kill();
    await watch.see('killed', { broker: 'health.E031 ECONNREFUSED', progress: 'health.E038 ECONNREFUSED' });
    await server.restart();
    const before = done;
    await expect.poll(() => boss.send(queue, {}).catch(() => null), { timeout: 10_000 }).not.toBe(null);
    await watch.see('recovered', { broker: 'ok', progress: 'ok' });
    await expect.poll(() => done, { timeout: 10_000 }).toBeGreaterThan(before);

    await boss.stop({ graceful: false });
    await watch.see('the application stopped it', { broker: 'health.E032', progress: 'health.E037' });

    const refused = open(await freePort());
    await refused.start().catch(() => {});
    await stage
      .watch(refused, { consumer: refused, queue, stalledAfter })
      .see('refused', { broker: 'health.E031 ECONNREFUSED', progress: 'health.E038' });
    const wrong = open(server.port, 'wr0ng-S3cret');
    await wrong.start().catch(() => {});
    await stage
      .watch(wrong, { consumer: wrong, queue, stalledAfter })
      .see('wrong password', { broker: 'health.E033', progress: 'health.E038' });
    stage.expectTable();
  });
});
