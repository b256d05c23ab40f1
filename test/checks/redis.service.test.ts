import { Logger } from '@valkey/valkey-glide';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { canStart, startService } from '../services/index.js';
import { freePort } from '../services/port.js';
import { startSentinel } from '../services/redis.js';
import type { RunningService } from '../services/service.js';
import { versionOf } from './clients/client.js';
import { type ExercisedRedis, type OpenRedis, redisClients, type RedisTarget } from './clients/redis.js';
import { heartbeats, takeOutput } from './heartbeats.js';
import { chosen } from '../whole.js';
import { expectPassed, type Row } from './matrix.js';

const planted = { username: 'planted_user', password: 'pl4nted-S3cret' } as const;
const secrets = [planted.username, planted.password, 'wr0ng-S3cret', 'redis://'];
const acl = ['--user', planted.username, 'on', `>${planted.password}`, '~*', '&*', '+@all'];

const lost = ['health.E004', 'health.E007', 'health.E010'];
/** node-redis asks its sentinels for a server as long as there is none, and cannot be stopped. */
const waiting = ['health.E012', 'health.E013'];

describe.skipIf(!canStart('redis'))('key-value clients on Redis', () => {
  const servers: Partial<Record<'single' | 'cluster' | 'sentinel', RunningService>> = {};

  beforeAll(async () => {
    Logger.setLoggerConfig('off');
    servers.single = await startService('redis', { args: acl });
    servers.cluster = await startService('redis', {
      args: ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1', ...acl],
    });
    const admin = new Redis(servers.cluster.url);
    await admin.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await vi.waitFor(async () => expect(await admin.cluster('INFO')).toContain('cluster_state:ok'), 20_000);
    admin.disconnect();
    servers.sentinel = await startSentinel(servers.single);
  });
  afterAll(() => Promise.all(Object.values(servers).map((server) => server.stop())));

  const started = (name: keyof typeof servers): RunningService => {
    const server = servers[name];
    if (server === undefined) throw new Error(`${name} is not running`);
    return server;
  };

  const seen: Row[] = [];
  const taken = chosen(redisClients, 'ioredis', 'redis 6', 'ioredis Cluster', 'redis 5 sentinel');
  for (const exercised of taken) exercise(exercised);

  it('contributing/clients.md lists exactly these clients, and those that were taken passed every scenario', () =>
    expectPassed('Clients on Redis', redisClients, taken, seen));

  function exercise(exercised: ExercisedRedis): void {
    const server = () => started(exercised.server === 'cluster' ? 'cluster' : 'single');
    const target = (): RedisTarget => ({ port: started(exercised.server ?? 'single').port, ...planted });

    async function withClient(where: RedisTarget, use: (open: OpenRedis) => Promise<void>): Promise<void> {
      const open = await exercised.open(where);
      try {
        await use(open);
      } finally {
        await Promise.race([open.close(), new Promise((resolve) => setTimeout(resolve, 2000))]);
      }
    }

    let failed = 0;
    const scenario = (name: string, run: () => Promise<void>) =>
      it(name, async () => {
        failed += 1;
        takeOutput();
        await run();
        const output = takeOutput();
        for (const secret of secrets) expect(output).not.toContain(secret);
        failed -= 1;
      });

    describe(`${exercised.name} ${versionOf(exercised.package)}`, () => {
      afterAll(() => {
        if (failed === 0) seen.push({ client: exercised.name, version: versionOf(exercised.package) });
      });

      scenario('is ok on a server that is up, over and over', () =>
        withClient(target(), async ({ client }) => {
          const { ids, until } = heartbeats({ redis: client, timeout: 10_000 });
          await until([]);
          for (let beat = 0; beat < 30; beat += 1) expect(await ids()).toEqual([]);
          expect((await Promise.all(Array.from({ length: 100 }, ids))).flat()).toEqual([]);
        }),
      );

      if (exercised.server === undefined && exercised.failsToOpen === undefined) {
        scenario('is misconfigured with a wrong password', () =>
          withClient({ ...target(), password: 'wr0ng-S3cret' }, ({ client }) =>
            heartbeats({ redis: client, timeout: 10_000 }).until(['health.E006']),
          ),
        );

        scenario('cannot connect where nothing listens', async () => {
          const port = await freePort();
          await withClient({ ...target(), port }, async ({ client }) => {
            const { until, beat } = heartbeats({ redis: client, timeout: 10_000 });
            await until(['health.E004']);
            await expect
              .poll(async () => JSON.stringify(await beat()), { timeout: 10_000 })
              .toContain(`connection refused (ECONNREFUSED 127.0.0.1:${port})`);
          });
        });
      }

      if (exercised.server === undefined && exercised.failsToOpen === undefined) {
        scenario('is ok as a subscriber', () =>
          withClient(target(), async ({ client, subscribe }) => {
            await subscribe?.();
            const { ids } = heartbeats({ redis: client, timeout: 5000 });
            for (let beat = 0; beat < 5; beat += 1) expect(await ids()).toEqual([]);
          }),
        );

        scenario('does not fail in a blocking command, and leaves no connection or command behind', () =>
          withClient(target(), async ({ client, block }) => {
            const admin = new Redis(server().url);
            // Sentinel watches this server too, and connects to it again after each time that it was down.
            const clients = async () =>
              String(await admin.client('LIST'))
                .trim()
                .split('\n')
                .filter((line) => !line.includes(' name=sentinel-'));
            block?.();
            await vi.waitFor(async () => expect((await clients()).join()).toMatch(/cmd=blpop/), 5000);
            const before = (await clients()).length;
            const { ids, beat } = heartbeats({ redis: client, timeout: 600 });
            for (let round = 0; round < 4; round += 1) {
              const found = (await Promise.all(Array.from({ length: 20 }, ids))).flat();
              expect(found.filter((id) => id !== 'health.I004')).toEqual([]);
              expect((await beat()).status).toMatch(/^(ok|info)$/);
            }
            await expect.poll(async () => (await clients()).length).toBe(before);
            server().freeze();
            try {
              expect(await ids()).toEqual([expect.stringMatching(/^health\.E0(04|07|12|13)$/)]);
            } finally {
              server().thaw();
            }
            const blocked = exercised.name.startsWith('io') ? [] : ['health.I004'];
            await expect.poll(ids, { timeout: 10_000 }).toEqual(blocked);
            admin.disconnect();
          }),
        );
      }

      scenario('times out on a frozen server, and recovers', () =>
        withClient(target(), async ({ client }) => {
          const { ids, until } = heartbeats({ redis: client, timeout: 100 });
          await until([]);
          server().freeze();
          try {
            const found = new Set<string>();
            for (let wave = 0; wave < 20; wave += 1) {
              for (const id of (await Promise.all(Array.from({ length: 50 }, ids))).flat()) found.add(id);
            }
            expect(found).toContain('health.E012');
          } finally {
            server().thaw();
          }
          await until([]);
        }),
      );

      scenario('fails when the server is killed, does not queue for it, and recovers when it is back', () =>
        withClient(target(), async ({ client }) => {
          const { beat, until } = heartbeats({ redis: client, timeout: 5000 });
          await until([]);
          await server().kill();
          try {
            await until([...lost, ...(exercised.server === 'sentinel' ? waiting : [])]);
            // Thousands of heartbeats later no command waits in the client.
            for (let wave = 0; wave < 10; wave += 1) await Promise.all(Array.from({ length: 100 }, beat));
            const queue: unknown = Reflect.get(client, 'offlineQueue');
            if (queue !== undefined && queue !== null)
              expect(Reflect.get(Object(queue), 'length')).toBeLessThanOrEqual(1);
          } finally {
            await server().restart();
          }
          await until([]);
        }),
      );

      if (exercised.server !== 'sentinel') {
        scenario('is missing once the application has closed it', () =>
          withClient(target(), async ({ client, close }) => {
            const { until } = heartbeats({ redis: client, timeout: 5000 });
            await until([]);
            await close();
            await until(['health.E005']);
          }).catch((error: unknown) => {
            // Closing twice is refused by some.
            if (!/closed/i.test(String(error))) throw error;
          }),
        );
      }
    });
  }
});
