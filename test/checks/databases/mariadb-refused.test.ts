import diagnostics from 'node:diagnostics_channel';
import { connect, createServer } from 'node:net';
import { createPool, type Pool, type PoolConfig } from 'mariadb';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../services/port.js';
import { heartbeats } from '../heartbeats.js';

function open(port: number, options: PoolConfig = {}): Pool {
  const pool = createPool({ host: '127.0.0.1', port, user: 'app', ...options });
  // Its types do not have this event.
  Reflect.apply(pool.on, pool, ['error', () => {}]);
  onTestFinished(() => pool.end().catch(() => {}));
  return pool;
}

async function said(db: Pool): Promise<string> {
  const { details } = await heartbeats({ db, timeout: 1500 }).beat();
  return JSON.stringify(details);
}

it.each<[string, PoolConfig]>([
  ['of an address', {}],
  ['of a name', { host: 'localhost' }],
  ['of a pool that connects when it is asked', { minimumIdle: 0 }],
  ['of a pool that gives up sooner than the check', { acquireTimeout: 300 }],
])('the refused port %s is named', async (_what, options) => {
  const port = await freePort();
  const pool = open(port, options);
  for (const text of await Promise.all([said(pool), said(pool)])) {
    expect(text).toContain(`connection refused (ECONNREFUSED 127.0.0.1:${port})`);
  }
  await pool.end();
  await expect.poll(() => diagnostics.hasSubscribers('net.client.socket'), { timeout: 20_000 }).toBe(false);
});

it('sockets of others do not say why', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const address = silent.address();
  const pool = open(typeof address === 'object' && address !== null ? address.port : 0, {
    connectTimeout: 20_000,
  });
  const port = await freePort();
  const beat = said(pool);
  const other = setInterval(() => connect(port, '127.0.0.1').on('error', () => {}), 100);
  onTestFinished(() => clearInterval(other));
  expect(await beat).toContain('connecting took too long');
});
