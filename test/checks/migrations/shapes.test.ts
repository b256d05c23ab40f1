import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import * as checks from 'lifesign/checks';
import { say } from '../say.js';

const check = (source: unknown, root?: string) =>
  checks.checkMigrationsApplied(source as never, root === undefined ? {} : { root });
const unused = () => {};
const rows = (...names: readonly string[]) => names.map((name) => ({ name }));
const unapplied = (names: string) =>
  expect.stringMatching(new RegExp(`^Warning \\S+: Unapplied migrations found: ${names}$`));
const foreign = (names: string) =>
  expect.stringMatching(new RegExp(`^Info \\S+: Applied migrations unknown to this build: ${names}$`));
const unreadable = (text: string) =>
  expect.stringMatching(new RegExp(`^Warning \\S+: Cannot check migrations: ${text}`));

const root = mkdtempSync(join(tmpdir(), 'lifesign-migrations-'));
afterAll(() => rmSync(root, { recursive: true }));

const knex = () =>
  Object.assign(() => {}, {
    raw: () => ({ connection: async () => ({ rows: [] }) }),
    select: unused,
    client: { dialect: 'pg', acquireConnection: async () => ({}), releaseConnection: async () => {} },
  });

describe('TypeORM', () => {
  const source = (more: object, asked: string[] = []) => ({
    isInitialized: true,
    driver: {},
    options: { type: 'postgres' },
    async query(sql: string) {
      asked.push(sql);
      return [];
    },
    createQueryRunner: unused,
    ...more,
  });

  it('names ten and counts the others', async () => {
    const migrations = Array.from({ length: 12 }, (_each, index) => ({ name: `m${index}` }));
    expect(await say(check(source({ migrations })))).toEqual([unapplied('m0, m1, .*, m9 and 2 more')]);
  });

  it('is asked for its own table', async () => {
    const asked: string[] = [];
    const options = { type: 'postgres', migrationsTableName: 'my "own"', schema: 'app' };
    await say(check(source({ migrations: [], options }, asked)));
    await say(check(source({ migrations: [] }, asked)));
    expect(asked).toEqual([
      'SELECT "name" AS "name" FROM "app"."my ""own"""',
      'SELECT "name" AS "name" FROM "migrations"',
    ]);
  });
});

describe('Umzug', () => {
  const umzug = (more: object) => ({
    migrations: async () => rows('a', 'b'),
    pending: unused,
    executed: unused,
    options: {},
    ...more,
  });
  const sequelize = (asked: string[]) => ({
    authenticate: unused,
    getDialect: () => 'sqlite',
    async query(sql: string) {
      asked.push(sql);
      return rows('a', 'b');
    },
    define: unused,
  });

  it.each<[string, unknown, string | undefined, string]>([
    ['a name', 'SequelizeMeta', 'file', 'SELECT "file" AS "name" FROM "SequelizeMeta"'],
    [
      'a schema',
      { tableName: 'Meta', schema: 'app' },
      undefined,
      'SELECT "name" AS "name" FROM "app"."Meta"',
    ],
  ])('on Sequelize is never asked itself, which would write: %s', async (_what, table, columnName, sql) => {
    const asked: string[] = [];
    const executed = vi.fn();
    const model = { sequelize: sequelize(asked), getTableName: () => table };
    expect(await say(check(umzug({ storage: { model, columnName, executed } })))).toEqual([]);
    expect(asked).toEqual([sql]);
    expect(executed).not.toHaveBeenCalled();
  });
});

it('a MigrationRunner of another version is told, and not taken for one without migrations', async () => {
  const client = { getReadClient: knex, getWriteClient: knex };
  const runner = { getList: unused, run: unused, direction: 'up', client, migrationSource: {} };
  expect(await say(check(runner))).toEqual([unreadable('.*Unsupported version of MigrationRunner')]);
});

/** A pg client which has rows for any question. */
const pg = (found: readonly object[], asked: string[] = []) => ({
  async query(sql: string) {
    asked.push(sql);
    return { rows: found };
  },
  escapeIdentifier: unused,
  end: unused,
});

describe('files', () => {
  const folder = (name: string, files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, name, path, '..'), { recursive: true });
      writeFileSync(join(root, name, path), text);
    }
    return name;
  };

  it('of node-pg-migrate are known by their names, in their order', async () => {
    const dir = folder('pg', {
      '3_c.js': '',
      '1_a.up.sql': '',
      '1_a.down.sql': '',
      '2_b.ts': '',
      '2_b.d.ts': '',
      '.x': '',
      'inner/4_d.js': '',
    });
    const asked: string[] = [];
    const source = (schema?: unknown) => ({
      dbClient: pg(rows('2_b'), asked),
      dir,
      migrationsTable: 'done',
      schema,
    });
    expect(await say(check(source(), root))).toEqual([unapplied('1_a, 3_c')]);
    await say(check(source('app'), root));
    await say(check(source(['first', 'second']), root));
    expect(asked).toEqual([
      'SELECT "name" AS "name" FROM "done"',
      'SELECT "name" AS "name" FROM "app"."done"',
      'SELECT "name" AS "name" FROM "first"."done"',
    ]);
  });

  const journal = JSON.stringify({
    entries: [
      { when: 1_700_000_000_000, tag: 'a' },
      { when: 5, tag: 'b' },
    ],
  });
  it('of Drizzle are in its journal, applied ones in its table', async () => {
    const migrationsFolder = folder('drizzle', { 'meta/_journal.json': journal });
    const asked: string[] = [];
    const $client = pg([{ name: '5' }, { name: 7 }, { name: 'soon' }], asked);
    expect(await say(check({ db: { $client }, migrationsFolder }, root))).toEqual([
      unapplied('a'),
      foreign('one of 1970-01-01T00:00:00.007Z, one of unknown date'),
    ]);
    expect(asked).toEqual(['SELECT "created_at" AS "name" FROM "drizzle"."__drizzle_migrations"']);
  });

  it('that went missing are told without the folders above the root', async () => {
    const migrationsFolder = folder('gone', { 'meta/other.json': '' });
    const source = { db: { $client: pg([]) }, migrationsFolder };
    expect(await say(check(source, root))).toEqual([unreadable('gone/meta/_journal\\.json: ')]);
    const absolute = { ...source, migrationsFolder: join(root, 'gone') };
    expect(await say(check(absolute))).toEqual([unreadable('meta/_journal\\.json: ')]);
  });

  it('whose table cannot be read cost one connection after the other, however many heartbeats wait', async () => {
    const asked: string[] = [];
    let [open, most] = [0, 0];
    const client = Object.assign(new EventEmitter(), {
      async query(sql: string) {
        asked.push(sql);
        if (sql !== 'SELECT 1') throw Object.assign(new Error('permission denied'), { code: '42501' });
        return { rows: [] };
      },
      release: () => void (open -= 1),
    });
    const dbClient = Object.assign(new EventEmitter(), {
      connect(done: (error: undefined, connection: object) => void) {
        open += 1;
        most = Math.max(most, open);
        setImmediate(done, undefined, client);
      },
      query: unused,
      totalCount: 0,
      idleCount: 0,
      waitingCount: 0,
    });
    const ofAll = check({ dbClient, dir: folder('read', { 'x.sql': '' }), migrationsTable: 'done' }, root);
    const said = await Promise.all([say(ofAll), say(ofAll), say(ofAll)]);
    expect(said).toEqual(said.map(() => [unreadable('the user lacks permission')]));
    expect([asked.length, most, open]).toEqual([2, 1, 0]);
  });

  it('are looked for at the root, beside the script and beside the package.json above it, and nowhere else', () => {
    const inFolder = (dir: string, at?: string, more: object = {}) =>
      check({ dbClient: pg([]), dir, migrationsTable: 'done', ...more }, at);
    folder('here', { x: '' });
    expect(() => inFolder('here', root)).not.toThrow();
    expect(() => inFolder('here/*', root, { useGlob: true })).not.toThrow();
    expect(() => inFolder(join(root, 'here'))).not.toThrow();
    expect(() => inFolder('not-here', root)).toThrow(`an existing folder in ${root} or `);
    expect(() => inFolder(join(root, 'not-here'))).toThrow(/an existing folder\./);
    const { argv } = process;
    try {
      process.argv = [argv[0] ?? '', join(root, 'main.js')];
      expect(() => inFolder('here')).not.toThrow();
      folder('app/migrations', { x: '' });
      folder('app', { 'package.json': '{}', 'src/main.js': '' });
      process.argv = [argv[0] ?? '', join(root, 'app/src/main.js')];
      expect(() => inFolder('migrations', root)).not.toThrow();
      process.argv = argv.slice(0, 1);
      expect(() => inFolder('here')).toThrow(/an existing folder/);
    } finally {
      process.argv = argv;
    }
  });

  const withPaths = (...migrationsPaths: readonly unknown[]) =>
    Object.assign(knex(), {
      migrate: {
        config: { migrationSource: { migrationsPaths, getMigrations: unused, getMigrationName: unused } },
      },
    });
  it('of Knex are looked for from the working directory', () => {
    const there = relative(process.cwd(), root);
    expect(() => check(withPaths(there, 5))).not.toThrow();
    expect(() => check(withPaths('./not-here'))).toThrow(`an existing folder in ${process.cwd()}`);
  });
});

it.each([[{}], [undefined], [5], [[]], [() => {}]])('refuses what knows no migrations: %j', (source) => {
  expect(() => check(source)).toThrow(expect.objectContaining({ code: 'LIFESIGN_CLIENT' }));
});
