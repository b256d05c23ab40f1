import { createPool as createMariadbPool } from 'mariadb';
import knexOf from 'knex';
import { createPool as createMysqlPool } from 'mysql2/promise';
import { Pool } from 'pg';
import { Sequelize } from 'sequelize';
import { expect, it } from 'vitest';
import { checks } from 'lifesign';
import { sharedService } from '../services/index.js';
import { say } from './say.js';

const postgres = sharedService('postgres');
const mariadb = sharedService('mariadb');

it.skipIf(postgres === undefined)(
  'checks.poolUsage tells how much of a pool is in use, and takes nothing of it',
  async () => {
    const pool = new Pool({ connectionString: postgres, max: 4 });
    const knex = knexOf({ client: 'pg', connection: postgres ?? '', pool: { min: 0, max: 4 } });
    const options = { warn: 0.5, error: 1 };
    const both = [checks.poolUsage(pool, options), checks.poolUsage(knex, options)];
    const held = [await pool.connect()];
    const lent = [await knex.client.acquireConnection()];
    for (const check of both) expect(await say(check)).toEqual([]);
    held.push(await pool.connect());
    lent.push(await knex.client.acquireConnection());
    for (const check of both) {
      expect(await say(check)).toEqual([
        'Warning health.E024: The pool has 2 of 4 connections in use, 0 waiting, 50 %, above 50 %',
      ]);
    }
    held.push(await pool.connect(), await pool.connect());
    const waiting = pool.query('SELECT 1');
    expect(await say(checks.poolUsage(pool, options))).toEqual([
      'Error health.E024: The pool has 4 of 4 connections in use, 1 waiting, 100 %, above 100 %',
    ]);
    for (const client of held) client.release();
    for (const connection of lent) await knex.client.releaseConnection(connection);
    await waiting;
    await Promise.all([pool.end(), knex.destroy()]);
  },
);

it.skipIf(mariadb === undefined)(
  'checks.poolUsage is told the size of a pool that does not tell it',
  async () => {
    const pool = createMariadbPool({ ...urlOf(mariadb ?? ''), connectionLimit: 2 });
    expect(await say(checks.poolUsage(pool))).toEqual([
      'Info health.I005: The pool does not report its maximum number of connections',
    ]);
    const connection = await pool.getConnection();
    expect(await say(checks.poolUsage(pool, { max: 2, warn: 0.5 }))).toEqual([
      expect.stringMatching(/^Warning health.E024: The pool has 1 of 2 connections in use/),
    ]);
    await connection.release();
    await pool.end();
  },
);

it.skipIf(mariadb === undefined || postgres === undefined)(
  'checks.poolUsage looks into the pools of mysql2 and Sequelize',
  async () => {
    const mysql = createMysqlPool({ ...urlOf(mariadb ?? ''), connectionLimit: 2 });
    const sequelize = new Sequelize(postgres ?? '', { logging: false, pool: { max: 2 } });
    const used = [expect.stringMatching(/^Warning health.E024: The pool has 1 of 2 connections in use/)];
    const one = await mysql.getConnection();
    expect(await say(checks.poolUsage(mysql, { warn: 0.5 }))).toEqual(used);
    const transaction = await sequelize.transaction();
    expect(await say(checks.poolUsage(sequelize, { warn: 0.5 }))).toEqual(used);
    one.release();
    await transaction.commit();
    await Promise.all([mysql.end(), sequelize.close()]);
  },
);

function urlOf(text: string) {
  const { hostname, port, username, password } = new URL(text);
  return { host: hostname, port: Number(port), user: username, password };
}

it('refuses thresholds and clients that cannot be', () => {
  // @ts-expect-error A string is no client.
  expect(() => checks.poolUsage('postgres://x')).toThrow(
    expect.objectContaining({ code: 'LIFESIGN_CLIENT' }),
  );
  expect(() => checks.poolUsage(new Pool(), { warn: 80 })).toThrow(
    expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }),
  );
  expect(() => checks.poolUsage(new Pool(), { max: 0 })).toThrow(
    expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }),
  );
});
