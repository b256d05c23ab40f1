import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { versionOf } from './clients/client.js';
import { heartbeats } from './heartbeats.js';
import { expectTable } from './matrix.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lifesign-sqlite-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each([
  ['better-sqlite3', BetterSqlite],
  // It has the API of better-sqlite3, and stands for it in tests that must not compile it.
  ['libsql', Libsql],
] as const)('%s', (name, Database) => {
  it('reads the file', async () => {
    const { ids } = heartbeats({ timeout: 10_000, db: new Database(join(folder, `${name}-good.db`)) });
    expect(await ids()).toEqual([]);
  });

  it('is misconfigured where the file is no database', async () => {
    const path = join(folder, `${name}-bad.db`);
    await writeFile(path, 'this is a text and no database '.repeat(100));
    const { ids } = heartbeats({ timeout: 10_000, db: new Database(path) });
    expect(await ids()).toEqual(['health.E003']);
  });

  it('is unusable while another process holds the file, and recovers', async () => {
    const path = join(folder, `${name}-locked.db`);
    const writer = new Database(path);
    writer.exec('CREATE TABLE things (id)');
    const { ids } = heartbeats({ db: new Database(path, { timeout: 1 }) });
    writer.exec('BEGIN EXCLUSIVE');
    expect(await ids()).toEqual(['health.E002']);
    writer.exec('COMMIT');
    expect(await ids()).toEqual([]);
  });

  it('is unusable once the application has closed it', async () => {
    const database = new Database(join(folder, `${name}-closed.db`));
    const { ids } = heartbeats({ db: database });
    database.close();
    expect(await ids()).toEqual(['health.E002']);
  });
});

it('contributing/clients.md lists the versions that are tested', () => {
  expectTable('Clients of SQLite', [{ client: 'better-sqlite3', version: versionOf('better-sqlite3') }]);
});
