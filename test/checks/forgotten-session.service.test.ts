import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStart } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { planted } from './database-scenario.js';
import { heartbeats } from './heartbeats.js';
import { places } from './places.js';
import { startProxy } from './proxy.js';

const { mariadb } = places;
const sessionsOf = `SELECT id FROM information_schema.processlist WHERE user = '${planted.user}'`;

// The way to the server is gone for a while, the server forgets the session: its KILL, by a driver that means well, fails.
describe.skipIf(!canStart('mariadb'))(
  'a run that is given up while the server has forgotten its session',
  () => {
    let server: RunningService;
    const rejections: unknown[] = [];
    const note = (thrown: unknown) => rejections.push(thrown);
    beforeAll(async () => {
      process.on('unhandledRejection', note);
      server = await mariadb.start();
    });
    afterAll(async () => {
      process.off('unhandledRejection', note);
      await server?.stop();
    });

    const pools = mariadb.clients.filter(({ reconnects }) => reconnects !== false);
    it.each(pools)('$name: no rejection that nobody has, and the next run is good', async (exercised) => {
      const proxy = await startProxy(server.port);
      const open = await exercised.open({ host: '127.0.0.1', port: proxy.port, ...planted });
      const { until } = heartbeats({ db: open.client, timeout: 300 });
      await until([]);
      proxy.set('halfOpen');
      for (const row of await mariadb.asOwner(server, sessionsOf)) {
        const id = typeof row === 'object' && row !== null && 'id' in row ? Number(row.id) : 0;
        await mariadb.asOwner(server, `KILL ${id}`).catch(() => {});
      }
      await until([]);
      await Promise.race([open.close(), new Promise((resolve) => setTimeout(resolve, 500))]);
      await proxy.close();
      expect(rejections).toEqual([]);
    });
  },
);
