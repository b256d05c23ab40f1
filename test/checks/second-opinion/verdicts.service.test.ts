import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HealthOptions } from 'lifesign';
import { canStart, startService } from '../../services/index.js';
import { startSentinel } from '../../services/redis.js';
import type { RunningService } from '../../services/service.js';
import { chosen } from '../../whole.js';
import { poolSize } from '../clients/client.js';
import { redisClients } from '../clients/redis.js';
import { planted } from '../database-scenario.js';
import { places } from '../places.js';
import { startProxy } from '../proxy.js';
import { probed } from './probed.js';

/** A client of a server behind a proxy of its own. */
interface Opened {
  readonly options: HealthOptions;
  close(): unknown;
  /** Uses every connection of a pool for some seconds. */
  readonly use?: (() => Promise<unknown>) | undefined;
}

/** What a client goes through. */
interface Subject {
  readonly name: string;
  /** Whether it shows how a fresh connection is made. */
  readonly connects: boolean;
  /** Whether nothing replaces a connection that is dead and open. */
  readonly single: boolean;
  open(port: number): Promise<Opened>;
}

interface Stage {
  readonly server: () => RunningService;
  setPassword(password: string): Promise<unknown>;
  /** The most connections; without a number as many as before. */
  setLimit?: ((most?: number) => Promise<unknown>) | undefined;
}

function exercise({ name, connects, single, open }: Subject, stage: Stage): void {
  it(`${name}: whose trouble it is, in every state of its server`, async () => {
    const proxy = await startProxy(stage.server().port);
    const { options, close, use } = await open(proxy.port);
    const ok = /^\[\+\]\w+ ok$/;
    // Nothing replaces it, unless the client notices.
    const recovered = single ? /ok$|instance: .*a fresh connection works$/ : ok;
    const shared = (what: string) =>
      new RegExp(connects ? `shared: .*${what}` : 'shared: this client cannot open a fresh');
    const silent = shared('a fresh connection gets no answer either');
    /** Another Health for each state: one keeps away for minutes from a server that has left a connection without an answer, as a busy machine does. */
    const state = async (first: RegExp, inflict: () => unknown, seen: RegExp, end: () => unknown) => {
      const { health, until } = probed(options);
      await until(first);
      try {
        await inflict();
        await until(seen, 10_000).catch(() => {
          health.close();
          return probed(options).until(seen);
        });
      } finally {
        await end();
      }
      health.close();
    };
    const breaking = (inflict: () => unknown) => async () => {
      await inflict();
      proxy.set('halfOpen');
    };
    try {
      await state(
        ok,
        () => stage.server().freeze(),
        silent,
        () => stage.server().thaw(),
      );
      if (use !== undefined && connects) {
        let used: Promise<unknown> | undefined;
        const busy = new RegExp(`${poolSize} connections in use.*; ${poolSize} of ${poolSize} are running`);
        await state(
          ok,
          () => void (used = use()),
          busy,
          () => used,
        );
      }
      const { setPassword, setLimit } = stage;
      const rejected = shared('a fresh connection fails too: the server rejected the user or password');
      const login = breaking(() => setPassword('another-S3cret'));
      await state(ok, login, rejected, () => setPassword(planted.password));
      if (!connects && single) return;
      if (setLimit !== undefined) {
        // ioredis 6 writes before it reads: what the server said may be lost.
        const said =
          name === 'ioredis 6'
            ? 'accepts no more connections|closed the connection'
            : 'accepts no more connections';
        const full = new RegExp(`shared: .*the server (${said})`);
        await state(
          recovered,
          breaking(() => setLimit(0)),
          full,
          () => setLimit(),
        );
      }
      // Nothing answers on the way, then only the connection that is open is dead.
      await state(
        recovered,
        breaking(() => proxy.set('swallow')),
        silent,
        () => proxy.set('heal'),
      );
      const down = shared('a fresh connection fails too');
      await state(
        recovered,
        () => stage.server().kill(),
        down,
        () => stage.server().restart(),
      );
      await expect.poll(proxy.open, { timeout: 10_000 }).toBeLessThanOrEqual(single ? 1 : poolSize);
    } finally {
      await Promise.race([close(), new Promise((resolve) => setTimeout(resolve, 500))]);
      await proxy.close();
    }
  });
}

const some = {
  postgres: ['pg Pool'],
  mariadb: ['mysql2/promise pool'],
  redis: ['ioredis', 'redis 6'],
};
const showsHow = /^(?:pg |Drizzle on (?:pg|mysql2)|mysql2)/;

describe.each(Object.values(places))('second opinions on $name', (place) => {
  if (!canStart(place.name)) return it.skip('no server can be started');
  let server: RunningService;
  beforeAll(async () => {
    server = await place.start();
  });
  afterAll(() => server?.stop());
  const stage: Stage = {
    server: () => server,
    setPassword: (password) => place.asOwner(server, place.setPassword(password)),
    setLimit: place.setLimit && (async (most) => place.asOwner(server, place.setLimit?.(most) ?? '')),
  };
  for (const { name, reconnects, open } of chosen(place.clients, ...some[place.name])) {
    const single = reconnects === false;
    const subject: Subject = {
      name,
      connects: showsHow.test(name),
      single,
      async open(port) {
        const { client, close, query } = await open({ host: '127.0.0.1', port, ...planted });
        const use = async () => Promise.all(Array.from({ length: poolSize }, () => query(place.sleep(4))));
        return { options: { db: client }, close, use: single ? undefined : use };
      },
    };
    exercise(subject, stage);
  }
});

describe.skipIf(!canStart('redis'))('second opinions on redis', () => {
  let server: RunningService;
  let sentinel: RunningService;
  let owner: Redis;
  const stage: Stage = {
    server: () => server,
    setPassword: (password) =>
      owner.call('ACL', 'SETUSER', planted.user, 'on', 'resetpass', `>${password}`, '~*', '&*', '+@all'),
    setLimit: (most = 10_000) => owner.config('SET', 'maxclients', String(Math.max(1, most))),
  };
  const login = { username: planted.user, password: planted.password };
  beforeAll(async () => {
    server = await startService('redis', {
      args: ['--user', planted.user, 'on', `>${planted.password}`, '~*', '&*', '+@all'],
    });
    sentinel = await startSentinel(server);
    owner = new Redis(server.url);
    owner.on('error', () => {});
  });
  afterAll(async () => {
    owner?.disconnect();
    await sentinel?.stop();
    await server?.stop();
  });

  const alone = redisClients.filter((each) => each.server === undefined);
  for (const { name, open } of chosen(alone, ...some.redis)) {
    const subject: Subject = {
      name,
      connects: !name.includes('glide'),
      single: true,
      async open(port) {
        const { client, close } = await open({ port, ...login });
        return { options: { redis: client }, close };
      },
    };
    exercise(subject, stage);
  }

  it('an ioredis that finds its server by sentinels asks them, and one that has given up is dead', async () => {
    const sentinels = [{ host: '127.0.0.1', port: sentinel.port }];
    const client = new Redis({ sentinels, name: 'main', ...login });
    client.on('error', () => {});
    const { until } = probed({ redis: client });
    try {
      await until(/^\[\+\]\w+ ok$/);
      client.disconnect();
      await until(/instance: a fresh connection works$/);
      sentinel.freeze();
      await until(/shared: a fresh connection gets no answer either$/);
    } finally {
      sentinel.thaw();
      client.disconnect();
    }
  });
});
