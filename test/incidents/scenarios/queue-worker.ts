// A call inside a job gets no answer, ever: the worker is alive and takes no further job.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Instance } from '../../faults/fleet/instance.js';
import { Monitor } from '../../faults/fleet/monitor.js';
import { openTunnel } from '../../faults/fleet/tunnel.js';
import { freePort } from '../../services/port.js';
import { redis } from '../../services/redis.js';
import type { Play } from '../list.js';
import { causeIn, seconds } from '../shop.js';

const app = join(import.meta.dirname, '../apps/worker.mjs');
const limit = 50_000;
const usual = { ready: '/health', live: '/health', monitor: '/health' };
const probes = { ready: '/readyz', live: '/livez', started: '/startupz', monitor: '/__heartbeat__' };

export const play: Play = async (setUp) => {
  const ends: (() => unknown)[] = [];
  try {
    const server = await redis.start();
    ends.push(() => server.stop());
    const letters = { added: 0, sent: 0 };
    const service = createServer((_req, res) => {
      letters.sent += 1;
      res.end('sent');
    });
    await once(service.listen(await freePort(), '127.0.0.1'), 'listening');
    ends.push(() => service.close());
    const address = service.address();
    const tunnel = await openTunnel(typeof address === 'object' && address !== null ? address.port : 0);
    ends.push(() => tunnel.close());
    const connection = new Redis(server.url, { maxRetriesPerRequest: null });
    connection.on('error', () => {});
    const queue = new Queue('mail', { connection });
    ends.push(() => connection.disconnect());

    const wiring = { name: setUp, args: [app, setUp], ...(setUp.startsWith('lifesign') ? probes : usual) };
    const env = { REDIS_URL: server.url, SERVICE_URL: `http://127.0.0.1:${tunnel.port}` };
    const instance = new Instance(wiring, await freePort(), await freePort(), env);
    ends.push(() => instance.stop());
    await instance.start();
    instance.supervise();
    const add = async () => {
      letters.added += 1;
      await queue.add('letter', {});
      await sleep(200);
    };
    while (letters.sent < 10) await add();

    tunnel.blackhole();
    const began = performance.now();
    const { sent: before } = letters;
    const works = () => letters.sent > before;
    const monitor = new Monitor();
    const watching = new AbortController();
    const watch = monitor.watch([instance], watching.signal);
    while (!works() && performance.now() - began < limit) await add();
    const took = performance.now() - began;
    const counts = await queue.getJobCounts('waiting', 'active');
    watching.abort();
    await watch;
    const { noticed, said } = monitor;
    return {
      noticed: noticed === undefined ? 'never' : seconds(noticed - began),
      lost: (counts['waiting'] ?? 0) + (counts['active'] ?? 0),
      sent: letters.added,
      restarts: instance.restarts,
      recovered: works() ? `after ${seconds(took)}` : `no, not within ${limit / 1000} s`,
      said: causeIn(said),
    };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
};
