import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { versionOf } from '../../checks/clients/client.js';
import { heartbeats } from '../../checks/heartbeats.js';
import { expectTable, type Row } from '../../checks/matrix.js';
import { migrationFiles } from '../../checks/migration-files.js';
import { canStart, startService } from '../../services/index.js';
import type { RunningService } from '../../services/service.js';
import { dialectLibraries, type DialectLibrary } from './libraries.js';
import type { Opened, Place } from './place.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lifesign-dialects-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function using<T>(opened: Opened, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } finally {
    await opened.close();
  }
}

const messages = (found: object) => ({
  check_migrations_applied: expect.objectContaining({ messages: found }),
});

interface Scenario {
  readonly place: Place;
  /** Who may only read. */
  readonly reader: Place;
  /** Everything a write would change. */
  state(): Promise<unknown>;
}

async function exercise(library: DialectLibrary, { place, reader, state }: Scenario): Promise<void> {
  const { names, write } = migrationFiles[library.name];
  const [first, second] = names;
  const beat = async (count: number) => {
    const opened = await library.open(reader, count);
    return using(
      opened,
      async () => (await heartbeats({ migrations: opened.source, timeout: 20_000 }).beat()).details,
    );
  };
  const apply = async (count: number) => {
    const opened = await library.open(place, count);
    await using(opened, opened.apply);
  };

  await write(place.folder, 1);
  // What opening alone does is the library's.
  await using(await library.open(place, 1), async () => {});
  const before = await state();
  expect(await beat(1)).toEqual(messages({ 'health.W001': `Unapplied migrations found: ${first}` }));
  expect(await state()).toEqual(before);

  await apply(1);
  expect(await beat(1)).toEqual({});
  await write(place.folder, 2);
  const applied = await state();
  expect(await beat(2)).toEqual(messages({ 'health.W001': `Unapplied migrations found: ${second}` }));
  expect(await state()).toEqual(applied);

  await apply(2);
  expect(await beat(2)).toEqual({});
  await rm(place.folder, { recursive: true });
  await mkdir(place.folder);
  await write(place.folder, 1);
  const older = await beat(1);
  if (library.tellsForeign === false) expect(older).toEqual({});
  else if (library.name === 'Drizzle') {
    expect(JSON.stringify(older)).toContain('this build does not know: one of 2023-11-14T22:13:20.001Z');
  } else {
    expect(older).toEqual(
      messages({ 'health.I003': `Applied migrations that this build does not know: ${second}` }),
    );
  }
}

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

  for (const [index, library] of dialectLibraries.entries()) {
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
        await until(library.tellsForeign === false ? [] : ['health.I003'], 60);
      });
      await admin(`REVOKE SELECT ON *.* FROM reader@'%'`);
      await admin(`GRANT CREATE TEMPORARY TABLES ON ${database}.* TO reader@'%'`);
      const poor = await library.open(reader, 1);
      try {
        await using(poor, () =>
          heartbeats({ migrations: poor.source, timeout: 20_000 }).until([
            // Kysely lists only what it sees.
            library.tellsForeign === false ? 'health.W001' : 'health.W008',
          ]),
        );
      } finally {
        await admin(`GRANT SELECT ON *.* TO reader@'%'`);
      }
      seen.push({ client: library.name, version: versionOf(library.package) });
    });
  }

  it('docs/checks.md lists exactly the libraries that passed', () =>
    expectTable('Libraries on MariaDB', seen));
});

describe('migrations on SQLite', () => {
  const seen: Row[] = [];

  for (const [index, library] of dialectLibraries.filter(({ onSqlite }) => onSqlite !== false).entries()) {
    it(`${library.name} ${versionOf(library.package)}`, async () => {
      const files = join(folder, `sqlite-${index}`);
      const data = join(folder, `data-${index}`);
      await Promise.all([mkdir(files), mkdir(data)]);
      // Opening makes the file where there is none, and that is no writing of ours.
      await writeFile(join(data, 'base.db'), '');
      const place: Place = {
        dialect: 'sqlite',
        folder: files,
        port: 0,
        user: '',
        database: '',
        file: join(data, 'base.db'),
      };
      // Every byte, and every file beside it.
      const state = async () => {
        const names = (await readdir(data)).toSorted();
        const digest = async (name: string) =>
          createHash('sha256')
            .update(await readFile(join(data, name)))
            .digest('hex');
        return Promise.all(names.map(async (name) => [name, await digest(name)]));
      };
      await exercise(library, { place, reader: place, state });
      seen.push({ client: library.name, version: versionOf(library.package) });
    });
  }

  it('docs/checks.md lists exactly the libraries that passed', () =>
    expectTable('Libraries on SQLite', seen));
});
