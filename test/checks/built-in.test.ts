import Database from 'libsql';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { Health } from 'lifesign/express';
// Here already: on a busy machine loading it takes longer than a check may.
import { heartbeats } from './heartbeats.js';

const sqlite = () => new Database(':memory:');

describe('one or more clients', () => {
  it('one: the plain name', async () => {
    const { beat } = heartbeats({ db: sqlite() });
    expect((await beat()).checks).toEqual({ check_database_connected: 'ok' });
  });

  it('a list: counted from one', async () => {
    const { beat } = heartbeats({ db: [sqlite(), sqlite()] });
    expect((await beat()).checks).toEqual({
      check_database_connected_1: 'ok',
      check_database_connected_2: 'ok',
    });
  });

  it('a plain object: by its names, and each fails alone', async () => {
    const replica = sqlite();
    const { beat } = heartbeats({ db: { main: sqlite(), replica } });
    replica.close();
    expect(await beat()).toMatchObject({
      status: 'error',
      checks: { check_database_connected_main: 'ok', check_database_connected_replica: 'error' },
      details: { check_database_connected_replica: { messages: { 'health.E002': expect.any(String) } } },
    });
  });
});

const given = (options: object) => () => new Health(undefined, options);

describe('what is refused at start', () => {
  it.each([
    ['a string', { db: 'postgres://user:s3cret@host/db' }],
    ['a number', { db: 1 }],
    ['null', { db: null }],
    ['an empty list', { db: [] }],
    ['an empty object', { db: {} }],
    ['a date', { db: new Date() }],
    ['a member that is none', { db: { main: sqlite(), replica: undefined } }],
    ['a database as redis', { redis: new Pool() }],
    ['a pool as migrations', { migrations: new Pool() }],
    ['a promise of a client', { db: Promise.resolve(sqlite()) }],
    ['a connection string as broker', { broker: 'amqp://user:s3cret@host' }],
    ['a pool as broker', { broker: new Pool() }],
    ['an empty list of brokers', { broker: [] }],
    ['a class as broker', { broker: class Connection {} }],
    ['a member that is no broker', { broker: { orders: () => undefined, events: 7 } }],
  ])('%s', (_name, options) => {
    expect(given(options)).toThrow(expect.objectContaining({ code: 'LIFESIGN_CLIENT' }));
  });

  it('names the member, what is supported, and no secret', () => {
    expect(given({ db: { main: sqlite(), replica: 7 } })).toThrow(
      /^Option db\.replica is 7, which no built-in check supports\. Supported clients: .*Knex.*pg Pool/,
    );
    let thrown: unknown;
    try {
      given({ db: 'postgres://user:s3cret@host/db' })();
    } catch (error) {
      thrown = error;
    }
    expect(String(thrown)).toContain('Option db is a string');
    expect(String(thrown)).not.toContain('s3cret');
  });
});
