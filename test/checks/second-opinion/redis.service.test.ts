import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRedisConnected, Error as ErrorMessage } from 'lifesign/checks';
import { canStart, startService } from '../../services/index.js';
import { startSentinel } from '../../services/redis.js';
import type { RunningService } from '../../services/service.js';
import { type OpenRedis, redisClients } from '../clients/redis.js';
import { planted } from '../database-scenario.js';
import { type Proxy, startProxy } from '../proxy.js';
import { opinionsOf } from './opinions.js';

/** What does not show how one connection is made. */
const without = /glide/;
const works = { scope: 'instance', evidence: 'a fresh connection works' };
const silent = { scope: 'shared', evidence: 'a fresh connection gets no answer either', unreached: true };

describe.skipIf(!canStart('redis'))('second opinions on Redis', () => {
  let server: RunningService;
  let sentinel: RunningService;
  let owner: Redis;

  const setPassword = (password: string) =>
    owner.call('ACL', 'SETUSER', planted.user, 'on', 'resetpass', `>${password}`, '~*', '&*', '+@all');
  const count = async () =>
    String(await owner.client('LIST'))
      .split('\n')
      .filter((line) => line.includes(`user=${planted.user}`)).length;

  beforeAll(async () => {
    server = await startService('redis');
    sentinel = await startSentinel(server);
    owner = new Redis(server.url);
    owner.on('error', () => {});
    await setPassword(planted.password);
  });
  afterAll(async () => {
    owner?.disconnect();
    await sentinel?.stop();
    await server?.stop();
  });

  for (const exercised of redisClients.filter((each) => each.server === undefined)) {
    const canConnect = !without.test(exercised.name);

    async function scene(use: (open: OpenRedis, proxy: Proxy) => Promise<void>): Promise<void> {
      const proxy = await startProxy(server.port);
      const open = await exercised.open({
        port: proxy.port,
        username: planted.user,
        password: planted.password,
      });
      try {
        await use(open, proxy);
      } finally {
        await Promise.race([open.close(), new Promise((resolve) => setTimeout(resolve, 500))]);
        await proxy.close();
      }
    }

    describe(exercised.name, () => {
      it('a fresh connection works, and is closed', () =>
        scene(async ({ client }, proxy) => {
          const opinions = opinionsOf(checkRedisConnected(client));
          expect(opinions.scope).toBe('auto');
          await opinions.ask();
          const before = proxy.open();
          const counted = await count();
          const said = await Promise.all([opinions.opinion(), opinions.opinion()]);
          expect(said[0]).toEqual(
            canConnect ? works : { scope: 'shared', evidence: 'this client cannot open a fresh connection' },
          );
          expect(said[1]).toEqual(said[0]);
          await expect.poll(proxy.open).toBe(before);
          await expect.poll(count).toBe(counted);
        }));

      if (!canConnect) return;

      it('a connection that is dead and open: this instance', () =>
        scene(async ({ client }, proxy) => {
          const opinions = opinionsOf(checkRedisConnected(client));
          await opinions.ask();
          proxy.set('halfOpen');
          expect(await opinions.ask()).toEqual(works);
        }));

      it('a server that says nothing: shared, and nothing is left open', () =>
        scene(async ({ client }, proxy) => {
          const opinions = opinionsOf(checkRedisConnected(client));
          await opinions.ask();
          const before = proxy.open();
          proxy.set('swallow');
          expect(await opinions.opinion()).toEqual(silent);
          await expect.poll(proxy.open).toBe(before);
        }));

      it('a server that is frozen: shared, and nothing is left open', () =>
        scene(async ({ client }, proxy) => {
          const opinions = opinionsOf(checkRedisConnected(client));
          await opinions.ask();
          const before = proxy.open();
          server.freeze();
          try {
            expect(await opinions.opinion()).toEqual(silent);
            await expect.poll(proxy.open).toBe(before);
          } finally {
            server.thaw();
          }
        }));

      it('a password that was changed: shared', () =>
        scene(async ({ client }) => {
          const opinions = opinionsOf(checkRedisConnected(client));
          await opinions.ask();
          await setPassword('another-S3cret');
          try {
            const { scope, evidence } = await opinions.opinion();
            expect(evidence).toMatch(/^a fresh connection fails too: the server rejected the user or pass/);
            expect(scope).toBe('shared');
          } finally {
            await setPassword(planted.password);
          }
        }));

      it('nothing listens: shared', () =>
        scene(async ({ client }, proxy) => {
          const opinions = opinionsOf(checkRedisConnected(client));
          await opinions.ask();
          await proxy.close();
          const { scope, evidence } = await opinions.opinion();
          expect(evidence).toMatch(/^a fresh connection fails too: connection refused/);
          expect(scope).toBe('shared');
        }));

      it('a server that takes no more connections: shared, in its words and in ours', () =>
        scene(async ({ client }, proxy) => {
          const opinions = opinionsOf(checkRedisConnected(client));
          await opinions.ask();
          const [, most] = await owner
            .config('GET', 'maxclients')
            .then(String)
            .then((text) => text.split(','));
          await owner.config('SET', 'maxclients', '1');
          try {
            const { scope, evidence } = await opinions.opinion();
            expect(scope).toBe('shared');
            expect(evidence).toMatch(/^a fresh connection fails too/);
          } finally {
            await owner.config('SET', 'maxclients', String(most));
          }
          proxy.set('swallow');
          const before = proxy.open();
          const refusal = new ErrorMessage(
            'Cannot connect to redis: the server accepts no more connections',
            {
              id: 'health.E004',
              fault: 'full',
            },
          );
          expect(await opinions.opinion([refusal])).toEqual({
            scope: 'shared',
            evidence: 'the server accepts no more connections',
          });
          expect(proxy.open()).toBe(before);
        }));
    });
  }

  it('an ioredis that finds its server by sentinels', async () => {
    const client = new Redis({
      sentinels: [{ host: '127.0.0.1', port: sentinel.port }],
      name: 'main',
      username: planted.user,
      password: planted.password,
    });
    client.on('error', () => {});
    const opinions = opinionsOf(checkRedisConnected(client));
    try {
      await expect.poll(opinions.ask).toEqual(works);
      sentinel.freeze();
      expect(await opinions.opinion()).toEqual(silent);
    } finally {
      sentinel.thaw();
      client.disconnect();
    }
  });

  it('an ioredis that has given up: this instance', async () => {
    const proxy = await startProxy(server.port);
    const client = new Redis({
      port: proxy.port,
      username: planted.user,
      password: planted.password,
      retryStrategy: () => null,
    });
    client.on('error', () => {});
    const opinions = opinionsOf(checkRedisConnected(client));
    await opinions.ask();
    client.disconnect();
    await expect.poll(() => client.status).toBe('end');
    expect(await opinions.ask()).toEqual(works);
    await proxy.close();
  });
});
