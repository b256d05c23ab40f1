import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { Redis as Valkey } from 'iovalkey';
import { createConnection, createPool } from 'mysql2';
import { Client, Pool } from 'pg';
import { createClient } from 'redis';
import { createClient as createClient4 } from 'redis4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Check, checkDatabaseConnected, checkRedisConnected } from 'lifesign/checks';
import { abortController } from '../../../src/core/heartbeat/run.js';
import { noFindings, resultOf } from '../../../src/core/heartbeat/result.js';
import { type SecondOpinion, aboutOf } from '../../../src/core/heartbeat/check.js';

/** What a server does with a connection: it says something, and then goes, or stays silent. */
interface Manners {
  readonly says: Uint8Array;
  readonly then: 'end' | 'destroy' | 'silence';
}

const connection = { host: '127.0.0.1', user: 'planted_user', password: 'pl4nted-S3cret' };
const quiet = { reconnectStrategy: false } as const;
const ofCheck = (check: Check): SecondOpinion['ask'] => {
  const { secondOpinion } = aboutOf(check);
  if (secondOpinion === undefined) throw new Error('No second opinion is offered');
  return secondOpinion.ask;
};
const ofDatabase = (client: Parameters<typeof checkDatabaseConnected>[0]) =>
  ofCheck(checkDatabaseConnected(client));
const ofStore = (client: Parameters<typeof checkRedisConnected>[0]) => ofCheck(checkRedisConnected(client));

/** Clients that have not connected: what is asked afresh is all that the server sees. */
const clients: Readonly<Record<string, (port: number) => SecondOpinion['ask']>> = {
  'pg Pool': (port) => ofDatabase(new Pool({ ...connection, port })),
  'pg Pool with TLS': (port) => ofDatabase(new Pool({ ...connection, port, ssl: true })),
  'pg Pool with a password that never comes': (port) =>
    ofDatabase(new Pool({ ...connection, port, password: () => new Promise<string>(() => {}) })),
  'pg Client': (port) =>
    ofDatabase(new Client(`postgres://planted_user:pl4nted-S3cret@127.0.0.1:${port}/planted_base`)),
  'mysql2 pool': (port) => ofDatabase(createPool({ ...connection, port })),
  'mysql2 pool with TLS': (port) => ofDatabase(createPool({ ...connection, port, ssl: {} })),
  ioredis: (port) => ofStore(new Redis(port, '127.0.0.1', { lazyConnect: true, username: 'planted_user' })),
  'ioredis with TLS': (port) => ofStore(new Redis(port, '127.0.0.1', { lazyConnect: true, tls: {} })),
  iovalkey: (port) => ofStore(new Valkey(port, '127.0.0.1', { lazyConnect: true })),
  'redis 5': (port) => ofStore(createClient({ socket: { host: '127.0.0.1', port, ...quiet } })),
  'redis 4': (port) => ofStore(createClient4({ socket: { host: '127.0.0.1', port, ...quiet } })),
};

describe('a server that speaks another language, or none', () => {
  const open = new Set<Socket>();
  let manners: Manners = { says: new Uint8Array(), then: 'silence' };
  let most = 0;
  const server = createServer((socket) => {
    open.add(socket);
    most = Math.max(most, open.size);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
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

  const asked = () => ({
    signal: abortController(performance.now() + 120).signal,
    result: resultOf(
      { name: 'asked', key: '"asked"', maxLevel: 50 },
      { failsFrom: 30, verdictOf: () => undefined },
      1,
      noFindings,
    ),
  });
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

  it.each(Object.entries(clients))('%s: shared, one connection, and it is closed', async (name, askOf) => {
    const ask = askOf(port());
    await fc.assert(
      fc.asyncProperty(anyManners, async (next) => {
        // An answer that nobody asked for ends the process, whoever uses redis 4: it throws in a listener of its socket.
        manners = name === 'redis 4' ? { ...next, says: new Uint8Array() } : next;
        most = 0;
        const { scope, evidence } = await ask(asked());
        expect(scope).toBe('shared');
        expect(evidence).toMatch(/^a fresh connection (fails too|gets no answer either)/);
        expect(evidence).not.toMatch(/planted|S3cret/);
        await expect.poll(() => open.size, { interval: 5 }).toBe(0);
        expect(most).toBeLessThanOrEqual(1);
      }),
      { numRuns: 25 },
    );
  });

  it('a connection of mysql2 that is closed', async () => {
    manners = { says: new Uint8Array(), then: 'silence' };
    const made = createConnection({ ...connection, port: port() });
    made.on('error', () => {});
    made.destroy();
    const { scope } = await ofDatabase(made)(asked());
    expect(scope).toBe('shared');
    await expect.poll(() => open.size).toBe(0);
  });
});
