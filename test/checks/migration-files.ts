import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Two migrations as a library names them and keeps them. */
interface MigrationFiles {
  readonly names: readonly [string, string];
  /** Writes the files of this many migrations. */
  write(folder: string, count: number): Promise<void>;
}

/** Each name is a file with this ending and text; others are beside them. */
function filesOf(
  names: MigrationFiles['names'],
  ending: string,
  text: string,
  beside: Readonly<Record<string, string>> = {},
): MigrationFiles {
  return {
    names,
    async write(folder, count) {
      for (const [name, other] of Object.entries(beside)) await writeFile(join(folder, name), other);
      for (const name of names.slice(0, count)) {
        await mkdir(dirname(join(folder, `${name}${ending}`)), { recursive: true });
        await writeFile(join(folder, `${name}${ending}`), text.replaceAll('NAME', name));
      }
    },
  };
}

const inCode = (...names: MigrationFiles['names']): MigrationFiles => ({ names, write: async () => {} });

export const migrationFiles = {
  Knex: filesOf(
    ['01_first.cjs', '02_second.cjs'],
    '',
    'exports.up = async () => {}; exports.down = async () => {};',
  ),
  Kysely: inCode('01_first', '02_second'),
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
  Prisma: filesOf(['20240101000000_first', '20240102000000_second'], '/migration.sql', 'SELECT 1;', {
    'migration_lock.toml': 'provider = "postgresql"\n',
  }),
  TypeORM: inCode('First1700000000001', 'Second1700000000002'),
  'Sequelize with Umzug': inCode('first', 'second'),
  MikroORM: filesOf(
    ['Migration1', 'Migration2'],
    '.js',
    `exports.NAME = class { constructor() { this.queries = ['SELECT 1']; } async up() {} reset() {} getQueries() { return this.queries; } setTransactionContext() {} isTransactional() { return true; } };`,
    { 'package.json': '{"type":"commonjs"}' },
  ),
  Lucid: filesOf(
    ['db/01_first', 'db/02_second'],
    '.js',
    `export default class { static disableTransactions = true; constructor(client, file) { this.file = file; } async execUp() { return []; } async execDown() { return []; } }`,
    { 'package.json': '{"type":"module"}' },
  ),
  'node-pg-migrate': filesOf(
    ['0001_first', '0002_second'],
    '.sql',
    '-- Up Migration\nSELECT 1;\n-- Down Migration\n',
  ),
} satisfies Record<string, MigrationFiles>;
