import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { versionOf } from '../../checks/clients/client.js';
import { heartbeats } from '../../checks/heartbeats.js';
import { chosen } from '../../whole.js';
import { expectPassed, type Row } from '../../checks/matrix.js';
import { canStart, startService } from '../../services/index.js';
import type { RunningService } from '../../services/service.js';
import { exercise, using } from './exercise.js';
import { dialectLibraries } from './libraries.js';
import type { Place } from './place.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lifesign-dialects-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(!canStart('mariadb'))('migrations on MariaDB', () => {
  let server: RunningService;
  const seen: Row[] = [];
  const admin = async (sql: string) => {
    const connection = await createConnection(server.url);
    try {
      const [rows] = await connection.query(sql);
      return rows;
    } finally {
      await connection.end();
    }
  };
  beforeAll(async () => {
    server = await startService('mariadb');
    await admin("CREATE USER writer@'%'");
    await admin("GRANT ALL ON *.* TO writer@'%'");
    await admin("CREATE USER reader@'%'");
    await admin("GRANT SELECT ON *.* TO reader@'%'");
  });
  afterAll(() => server?.stop());

  const taken = chosen(dialectLibraries, 'Knex', 'Prisma', 'Sequelize with Umzug');
  for (const [index, library] of taken.entries()) {
    it(`${library.name} ${versionOf(library.package)}`, async () => {
      const database = `base_${index}`;
      await admin(`CREATE DATABASE ${database}`);
      // What is applied has to outlast a crash.
      await admin('SET GLOBAL innodb_flush_log_at_trx_commit = 1');
      const files = join(folder, `mariadb-${index}`);
      await mkdir(files);
      const place: Place = {
        dialect: 'mariadb',
        folder: files,
        port: server.port,
        user: 'writer',
        database,
        file: '',
      };
      const reader = { ...place, user: 'reader' };
      const state = () =>
        admin(
          `SELECT table_name, table_rows, auto_increment FROM information_schema.tables WHERE table_schema = '${database}' ORDER BY 1`,
        );
      await exercise(library, { place, reader, state });

      const opened = await library.open(reader, 1);
      await using(opened, async () => {
        const { until } = heartbeats({ migrations: opened.source, timeout: 3000 });
        await server.kill();
        await until(['health.I001', 'health.E012', 'health.E013']);
        await server.restart();
        await until(['health.I003'], 60);
      });
      await admin(`REVOKE SELECT ON *.* FROM reader@'%'`);
      await admin(`GRANT CREATE TEMPORARY TABLES ON ${database}.* TO reader@'%'`);
      const poor = await library.open(reader, 1);
      try {
        await using(poor, () =>
          heartbeats({ migrations: poor.source, timeout: 20_000 }).until(['health.W008']),
        );
      } finally {
        await admin(`GRANT SELECT ON *.* TO reader@'%'`);
      }
      seen.push({ client: library.name, version: versionOf(library.package) });
    });
  }

  it('contributing/clients.md lists exactly these libraries, and those that were taken passed', () =>
    expectPassed('Libraries on MariaDB', dialectLibraries, taken, seen));
});
