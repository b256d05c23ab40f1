import { EventEmitter } from 'node:events';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { checks } from 'lifesign';
import type { Check } from 'lifesign/checks';
import { until } from '../../core/waiting.js';
import { probed } from './probed.js';

const host = '127.0.0.1';
const stalledAfter = 1;
const work = { pending: () => 1, processed: () => 1, stalledAfter };
const wrapper = Object.fromEntries(
  ['ack', 'nack', 'checkQueue', 'consume', 'addSetup', 'removeSetup', 'on'].map((name) => [name, () => {}]),
);
const client = { db: () => ({ command: () => Promise.reject(new Error('down')) }), startSession() {} };
const pool = () => new Pool({ host, port: 1, max: 1 });
const redis = () => new Redis({ host, port: 1, lazyConnect: true, retryStrategy: () => null });

/** Checks that fail, and whose trouble that is. */
const failing: Readonly<Record<string, readonly [check: () => Check, whose: RegExp]>> = {
  'a database': [
    () => checks.checkDatabaseConnected(pool()),
    /shared: a fresh connection fails too: connection refused/,
  ],
  'a database below Drizzle': [
    () => checks.checkDatabaseConnected({ $client: pool() }),
    /shared: a fresh connection fails too: connection refused/,
  ],
  redis: [() => checks.checkRedisConnected(redis()), /shared: a fresh connection fails too/],
  broker: [() => checks.checkBrokerConnected(() => undefined), /^\[\+\]probed excluded: .*shared/],
  http: [() => checks.http(`http://${host}:1/`), /^\[\+\]probed excluded: .*shared/],
  tcp: [() => checks.tcp(host, 1), /^\[\+\]probed excluded: .*shared/],
  mongo: [() => checks.mongo({ ...client, close() {} } as never), /^\[\+\]probed excluded: .*shared/],
  memory: [() => checks.memory({ limit: 1 }), /^\[\+\]probed excluded: .*shared/],
  disk: [() => checks.disk({ path: '/no/such/folder' }), /^\[-\]probed failed: .*instance/],
  'your own': [() => () => new checks.Error('down', { id: 'acme.E001' }), /^\[-\]probed failed: .*instance/],
  'work that stands still': [() => checks.progress(work), /instance: this instance makes no progress/],
  'a source of work that cannot be asked': [
    () => checks.progress({ ...work, pending: () => -1 }),
    /shared: the source of the work cannot be reached/,
  ],
  'a consumer that connects again by itself': [
    () => checks.progress({ consumer: wrapper as never, queue: 'jobs', stalledAfter }),
    /shared: the source of the work cannot be reached/,
  ],
};

it.each(Object.entries(failing))('%s', async (_what, [check, whose]) => {
  await probed({}, check()).until(whose);
});

it('a pool is listened to once while the probes are on, and not after close()', async () => {
  const made = Object.assign(pool(), new EventEmitter());
  const { health } = probed({ db: [made, { $client: made }] });
  onTestFinished(() => made.end());
  await until(async () => {
    await health.heartbeat();
    return made.listenerCount('acquire') === 1;
  });
  health.close();
  expect(made.listenerCount('acquire')).toBe(0);
});
