import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDatabaseConnected } from 'lifesign/checks';
import { Health } from 'lifesign/node';
import { until } from '../core/waiting.js';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { mariadbClients } from './clients/mariadb.js';
import { planted } from './database-scenario.js';
import { startProxy } from './proxy.js';

// The way to the server is gone for a while, the server forgets the session: its KILL, by a driver that means well, fails.
describe.skipIf(!canStart('mariadb'))(
  'a run that is given up while the server has forgotten its session',
  () => {
    let server: RunningService;
    const rejections: unknown[] = [];
    const note = (thrown: unknown) => rejections.push(thrown);

    beforeAll(async () => {
      process.on('unhandledRejection', note);
      server = await startService('mariadb');
      const admin = await createConnection(server.url);
      await admin.query(`CREATE DATABASE ${planted.database}`);
      await admin.query(`CREATE USER ${planted.user}@'%' IDENTIFIED BY '${planted.password}'`);
      await admin.query(`GRANT ALL ON *.* TO ${planted.user}@'%'`);
      await admin.end();
    });
    afterAll(async () => {
      process.off('unhandledRejection', note);
      await server?.stop();
    });

    const pools = mariadbClients.filter(({ reconnects }) => reconnects !== false);
    it.each(pools.map((client) => [client.name, client] as const))(
      '%s: no rejection that nobody has, and the next run is good',
      async (_, exercised) => {
        const proxy = await startProxy(server.port);
        const open = await exercised.open({ host: '127.0.0.1', port: proxy.port, ...planted });
        const health = new Health({ timeout: 300, logger: { log() {} } });
        health.check('database', checkDatabaseConnected(open.client));
        const status = async () => (await health.heartbeat()).status;
        await until(async () => (await status()) === 'ok');
        proxy.set('halfOpen');
        const admin = await createConnection(server.url);
        const [sessions] = await admin.query<RowDataPacket[]>(
          'SELECT id FROM information_schema.processlist WHERE user = ?',
          [planted.user],
        );
        for (const { id } of Array.isArray(sessions) ? sessions : []) {
          await admin.query(`KILL ${Number(id)}`).catch(() => {});
        }
        await admin.end();
        await until(async () => (await status()) === 'ok');
        await Promise.race([open.close(), new Promise((resolve) => setTimeout(resolve, 500))]);
        await proxy.close();
        health.close();
        expect(rejections).toEqual([]);
      },
    );
  },
);
