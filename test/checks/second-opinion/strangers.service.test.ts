import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { Redis as Valkey } from 'iovalkey';
import { createPool } from 'mysql2';
import { Pool } from 'pg';
import { createClient } from 'redis';
import { createClient as createClient4 } from 'redis4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HealthOptions } from 'lifesign';
import { probed } from './probed.js';

/** What a server does with a connection: it says something, and then goes, or stays silent. */
interface Manners {
  readonly says: Uint8Array;
  readonly then: 'end' | 'destroy' | 'silence';
}

const settings = { host: '127.0.0.1', user: 'planted_user', password: 'pl4nted-S3cret' };
/** Clients that the application has closed, or never opened: what is asked afresh is all that the server sees. */
const clients: Readonly<Record<string, (port: number) => HealthOptions>> = {
  ...pool('pg Pool', (port) => new Pool({ ...settings, port })),
  ...pool('pg Pool with TLS', (port) => new Pool({ ...settings, port, ssl: true })),
  ...pool(
    'pg Pool with a password that never comes',
    (port) => new Pool({ ...settings, port, password: () => new Promise<string>(() => {}) }),
  ),
  ...pool('mysql2 pool', (port) => createPool({ ...settings, port })),
  ...pool('mysql2 pool with TLS', (port) => createPool({ ...settings, port, ssl: {} })),
  ioredis: (port) => ({ redis: closed(new Redis(port, '127.0.0.1', { lazyConnect: true })) }),
  'ioredis with TLS': (port) => ({
    redis: closed(new Redis(port, '127.0.0.1', { lazyConnect: true, tls: {} })),
  }),
  iovalkey: (port) => ({ redis: closed(new Valkey(port, '127.0.0.1', { lazyConnect: true })) }),
  'redis 5': (port) => ({ redis: createClient({ socket: { host: '127.0.0.1', port } }) }),
  'redis 4': (port) => ({ redis: createClient4({ socket: { host: '127.0.0.1', port } }) }),
};

function pool(name: string, make: (port: number) => Pool | ReturnType<typeof createPool>) {
  return {
    [name](port: number): HealthOptions {
      const db = make(port);
      void db.end();
      return { db };
    },
  };
}

function closed<Client extends { disconnect(): void }>(client: Client): Client {
  client.disconnect();
  return client;
}

describe('a server that speaks another language, or none', () => {
  const sockets = new Set<Socket>();
  let manners: Manners = { says: new Uint8Array(), then: 'silence' };
  let most = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    most = Math.max(most, sockets.size);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.resume();
    if (manners.says.length > 0) socket.write(manners.says);
    if (manners.then === 'end') socket.end();
    if (manners.then === 'destroy') socket.destroy();
  });
  const port = () => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => void server.close());

  const anyManners = fc.record({
    says: fc.oneof(
      fc.uint8Array({ maxLength: 64 }),
      // PostgreSQL agrees to TLS, and asks for a password in clear; Redis says OK to everything.
      fc
        .constantFrom(
          'S',
          'N',
          'R\0\0\0\x08\0\0\0\x03',
          '+OK\r\n'.repeat(5),
          '-ERR max number of clients reached\r\n',
        )
        .map((text) => new TextEncoder().encode(text)),
    ),
    then: fc.constantFrom('end', 'destroy', 'silence'),
  });

  it.each(Object.entries(clients))(
    '%s: shared, one connection at a time, and it is closed',
    async (name, open) => {
      await fc.assert(
        fc.asyncProperty(anyManners, async (next) => {
          // An answer that nobody asked for ends the process, whoever uses redis 4: it throws in a listener of its socket.
          manners = name === 'redis 4' ? { ...next, says: new Uint8Array() } : next;
          most = 0;
          const options = open(port());
          const { health, until } = probed({ ...options, timeout: 50 });
          await until(/shared: a fresh connection (?:fails too|gets no answer either)/);
          health.close();
          await expect.poll(() => sockets.size, { interval: 5 }).toBe(0);
          // The check of a closed client of Redis looks whether its server can be reached.
          expect(most).toBeLessThanOrEqual('redis' in options ? 2 : 1);
        }),
        { numRuns: 5 },
      );
    },
  );
});
