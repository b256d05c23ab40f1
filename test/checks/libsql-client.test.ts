import { createClient } from '@libsql/client';
import { expect, it } from 'vitest';
import { versionOf } from './clients/client.js';
import { heartbeats } from './heartbeats.js';
import { expectTable } from './matrix.js';

it('@libsql/client is ok while it is open and unusable once it is closed', async () => {
  const client = createClient({ url: 'file::memory:' });
  const { ids } = heartbeats({ db: client });
  expect(await ids()).toEqual([]);
  client.close();
  expect(await ids()).toEqual(['health.E002']);
});

it('docs/checks.md lists the versions that are tested', () => {
  expectTable('Clients of SQLite', [
    { client: 'better-sqlite3', version: versionOf('better-sqlite3') },
    { client: 'libsql', version: versionOf('libsql') },
    { client: '@libsql/client', version: versionOf('@libsql/client') },
  ]);
});
