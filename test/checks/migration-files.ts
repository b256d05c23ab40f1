import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Two migrations as a library names them and keeps them. */
interface MigrationFiles {
  readonly names: readonly [string, string];
  /** Writes the files of this many migrations. */
  write(folder: string, count: number): Promise<void>;
}

const none = async () => {};

function files<Name extends string>(all: Record<Name, MigrationFiles>): Record<Name, MigrationFiles> {
  return all;
}

export const migrationFiles = files({
  Knex: {
    names: ['01_first.cjs', '02_second.cjs'],
    write: async (folder, count) => {
      for (const name of ['01_first.cjs', '02_second.cjs'].slice(0, count)) {
        await writeFile(join(folder, name), 'exports.up = async () => {}; exports.down = async () => {};');
      }
    },
  },
  'Kysely Migrator': {
    names: ['01_first', '02_second'],
    write: none,
  },
  'Kysely Migrator settings': {
    names: ['01_first', '02_second'],
    write: none,
  },
  Drizzle: {
    names: ['0000_first', '0001_second'],
    write: async (folder, count) => {
      const entries = ['0000_first', '0001_second'].slice(0, count).map((tag, idx) => ({
        idx,
        version: '7',
        when: 1_700_000_000_000 + idx,
        tag,
        breakpoints: true,
      }));
      await mkdir(join(folder, 'meta'), { recursive: true });
      await writeFile(
        join(folder, 'meta', '_journal.json'),
        JSON.stringify({ version: '7', dialect: 'postgresql', entries }),
      );
      for (const { tag } of entries) await writeFile(join(folder, `${tag}.sql`), `SELECT '${tag}';`);
    },
  },
  Prisma: {
    names: ['20240101000000_first', '20240102000000_second'],
    write: async (folder, count) => {
      await writeFile(join(folder, 'migration_lock.toml'), 'provider = "postgresql"\n');
      for (const name of ['20240101000000_first', '20240102000000_second'].slice(0, count)) {
        await mkdir(join(folder, name), { recursive: true });
        await writeFile(join(folder, name, 'migration.sql'), 'SELECT 1;');
      }
    },
  },
  TypeORM: {
    names: ['First1700000000001', 'Second1700000000002'],
    write: none,
  },
  'Sequelize with Umzug': {
    names: ['first', 'second'],
    write: none,
  },
  MikroORM: {
    names: ['Migration1', 'Migration2'],
    write: async (folder, count) => {
      await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}');
      for (const name of ['Migration1', 'Migration2'].slice(0, count)) {
        await writeFile(
          join(folder, `${name}.js`),
          `exports.${name} = class { constructor() { this.queries = ['SELECT 1']; } async up() {} reset() {} getQueries() { return this.queries; } setTransactionContext() {} isTransactional() { return true; } };`,
        );
      }
    },
  },
  Lucid: {
    names: ['db/01_first', 'db/02_second'],
    write: async (folder, count) => {
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      await mkdir(join(folder, 'db'), { recursive: true });
      for (const name of ['db/01_first', 'db/02_second'].slice(0, count)) {
        await writeFile(
          join(folder, `${name}.js`),
          `export default class { static disableTransactions = true; constructor(client, file) { this.file = file; } async execUp() { return []; } async execDown() { return []; } }`,
        );
      }
    },
  },
  'node-pg-migrate': {
    names: ['0001_first', '0002_second'],
    write: async (folder, count) => {
      for (const name of ['0001_first', '0002_second'].slice(0, count)) {
        await writeFile(join(folder, `${name}.sql`), '-- Up Migration\nSELECT 1;\n-- Down Migration\n');
      }
    },
  },
});
