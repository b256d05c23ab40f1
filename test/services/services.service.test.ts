import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { accepts } from './process.js';
import { canStart, sharedService, startService } from './index.js';

describe('services', () => {
  it.skipIf(sharedService('postgres') === undefined)('PostgreSQL answers', async () => {
    const client = new Client({ connectionString: sharedService('postgres') });
    await client.connect();
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.end();
  });

  it.skipIf(sharedService('mariadb') === undefined)('MariaDB answers', async () => {
    const connection = await createConnection(sharedService('mariadb') ?? '');
    expect((await connection.query('SELECT 1 AS one'))[0]).toEqual([{ one: 1 }]);
    await connection.end();
  });

  it.skipIf(sharedService('redis') === undefined)('Redis answers', async () => {
    const client = new Redis(sharedService('redis') ?? '');
    expect(await client.ping()).toBe('PONG');
    client.disconnect();
  });

  it.skipIf(!canStart('mariadb'))('MariaDBs that start together leave each other alone', async () => {
    const servers = await Promise.all(Array.from({ length: 4 }, () => startService('mariadb')));
    for (const server of servers) await accepts(server.port);
    await Promise.all(servers.map((server) => server.stop()));
  });

  it.skipIf(!canStart('postgres'))('a server can be frozen, killed, brought back and stopped', async () => {
    const server = await startService('postgres');
    const client = new Client({ connectionString: server.url });
    client.on('error', () => {});
    await client.connect();

    server.freeze();
    let answered = false;
    const query = client.query('SELECT 1').then(() => (answered = true));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(answered).toBe(false);
    server.thaw();
    await query;

    await server.kill();
    await expect(accepts(server.port)).rejects.toThrow('ECONNREFUSED');
    await server.restart();
    await accepts(server.port);
    await server.stop();
    await expect(accepts(server.port)).rejects.toThrow('ECONNREFUSED');
  });
});
