import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import express from 'express';
import { Redis } from 'ioredis';
import knexOf from 'knex';
import { Pool } from 'pg';
import { expect, it } from 'vitest';
import { checks, Health } from 'lifesign/express';
import { sharedService } from '../services/index.js';
import { freePort } from '../services/port.js';

const migrationSource = {
  getMigrations: async () => ['01_things'],
  getMigrationName: (name: string) => name,
  getMigration: async () => ({ up: async () => {}, down: async () => {} }),
};

it.skipIf(sharedService('redis') === undefined)(
  'docs/checks.md shows what the first example answers',
  async () => {
    const page = await readFile(new URL('../../docs/checks.md', import.meta.url), 'utf8');
    const shown: unknown = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? '');
    const port = await freePort();
    const search = createServer((_req, res) => res.end()).listen(0, '127.0.0.1');
    await once(search, 'listening');
    const address = search.address();
    const searchPort = typeof address === 'object' && address !== null ? address.port : 0;

    const pool = new Pool({ host: '127.0.0.1', port });
    const redis = new Redis(sharedService('redis') ?? '');
    await redis.ping();
    const knex = knexOf({
      client: 'pg',
      connection: { host: '127.0.0.1', port },
      log: { warn: () => {} },
      migrations: { migrationSource },
    });
    const app = express();
    const health = new Health(app, { db: pool, redis, migrations: knex, logger: { log: () => {} } });
    health.check('search', checks.http(`http://127.0.0.1:${searchPort}/`, { warn: 30_000 }));
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const own = server.address();
    const answer = await fetch(
      `http://127.0.0.1:${typeof own === 'object' && own !== null ? own.port : 0}/__heartbeat__`,
    );
    const body = (await answer.text()).replaceAll(`:${port}`, ':5432');
    server.close();
    search.close();
    redis.disconnect();
    await Promise.all([pool.end(), knex.destroy()]);

    expect(JSON.parse(body)).toEqual(shown);
  },
);
