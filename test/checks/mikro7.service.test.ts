import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start, versionOf } from '../hosts/mikro7/start.js';
import { canStart, startService } from '../services/index.js';
import { freePort } from '../services/port.js';
import type { RunningService } from '../services/service.js';
import { expectTable } from './matrix.js';

describe.skipIf(!canStart('postgres'))(
  `MikroORM ${versionOf('@mikro-orm/core')} and Kysely ${versionOf('kysely')}`,
  () => {
    let server: RunningService;
    let folder: string;
    beforeAll(async () => {
      server = await startService('postgres');
      const admin = new Client({ connectionString: server.url });
      await admin.connect();
      await admin.query("CREATE ROLE planted_user LOGIN PASSWORD 'pl4nted'");
      await admin.end();
      folder = await mkdtemp(join(tmpdir(), 'lifesign-mikro7-'));
      await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}');
      await writeFile(
        join(folder, 'Migration1.js'),
        "exports.Migration1 = class { constructor() { this.queries = ['SELECT 1']; } async up() {} reset() {} getQueries() { return this.queries; } setTransactionContext() {} isTransactional() { return true; } };",
      );
    });
    afterAll(async () => {
      await server?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const both = (ids: readonly string[]) => ({
      check_database_connected_orm: ids,
      check_database_connected_kysely: ids,
    });

    it('are ok, know their migrations, fail when frozen or killed, and recover', async () => {
      const { beat, apply, close } = await start(server.url, folder);
      const until = (expected: object) =>
        expect.poll(beat, { timeout: 30_000, interval: 100 }).toEqual(expected);
      try {
        await until({ check_migrations_applied: ['health.W001'] });
        await apply();
        await until({});
        expect(await Promise.all(Array.from({ length: 100 }, beat))).toEqual(
          Array.from({ length: 100 }, () => ({})),
        );
        server.freeze();
        try {
          expect(await beat()).toMatchObject(both([expect.stringMatching(/^health\.E0(01|12)$/)]));
        } finally {
          server.thaw();
        }
        await until({});
        await server.kill();
        try {
          await until({ ...both(['health.E001']), check_migrations_applied: ['health.I001'] });
        } finally {
          await server.restart();
        }
        await until({});
      } finally {
        close();
      }
    });

    it.each([
      [
        'a wrong password',
        (url: URL) => Object.assign(url, { username: 'planted_user', password: 'wr0ng' }),
        'health.E003',
      ],
      ['a wrong database', (url: URL) => (url.pathname = '/nowhere'), 'health.E003'],
      ['nothing that listens', async (url: URL) => (url.port = String(await freePort())), 'health.E001'],
    ])('tell %s', async (_name, change, id) => {
      const url = new URL(server.url);
      await change(url);
      const { beat, close } = await start(url.href, folder);
      try {
        expect(await beat()).toMatchObject(both([id]));
      } finally {
        close();
      }
    });

    it('contributing/clients.md lists their versions', () =>
      expectTable('Newer majors, on Node 24', [
        { client: 'MikroORM on pg', version: versionOf('@mikro-orm/core') },
        { client: 'Kysely on pg', version: versionOf('kysely') },
      ]));
  },
);
