import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { engineOf } from '../../src/core/health.js';
import { grpcHealth } from 'lifesign/grpc';
import { checks, createHandler, type LogRecord } from 'lifesign';
import { deferred, until } from '../core/waiting.js';

function service(options: object = {}) {
  const records: LogRecord[] = [];
  const { health } = createHandler({
    ...options,
    logger: { log: (record) => void records.push(record) },
    versionPath: '/nowhere',
  });
  onTestFinished(() => health.close());
  const [definition, calls] = grpcHealth(health);
  const failures = () => records.filter(({ msg }) => msg === 'The gRPC health service failed');
  return { health, definition, calls, failures };
}

function watchOf(write: (status: number) => unknown, name = '') {
  return Object.assign(new EventEmitter(), { request: { service: name }, write, end: () => {} });
}

// An unhandled rejection would fail the run.
test('a call that throws is logged, ends nothing, and keeps no status from the others', async () => {
  const { health, calls, failures } = service();
  const heard: number[] = [];
  const broken = () => {
    throw new Error('the stream is gone');
  };
  calls.Watch(watchOf(broken));
  calls.Watch(watchOf((status) => heard.push(status)));
  await until(() => heard.length === 1);
  expect(failures()).toHaveLength(1);
  engineOf(health).leave(true);
  await until(() => heard.length === 2);
  expect([heard, failures().length]).toEqual([[1, 2], 2]);
  calls.Watch(watchOf(broken));
  expect(failures()).toHaveLength(3);
  calls.Check({ request: { service: '' } }, broken);
  await until(() => failures().length === 4);
});

test('a client that watches sees no older status after a newer one', async () => {
  const { health, calls } = service({ groups: { payments: ['stripe'] } });
  const slow = deferred();
  let runs = 0;
  health.check('stripe', async () => {
    runs += 1;
    await slow.promise;
  });
  const heard: number[] = [];
  calls.Watch(watchOf((status) => heard.push(status), 'payments'));
  await until(() => runs === 1);
  engineOf(health).leave(true);
  await until(() => heard.length === 1);
  slow.resolve();
  await engineOf(health).heartbeat();
  await new Promise(setImmediate);
  expect(heard).toEqual([2]);
});

test('a client that ends twice leaves the others of its service', async () => {
  const { health, calls } = service();
  const first = watchOf(() => {});
  calls.Watch(first);
  first.emit('cancelled');
  const heard: number[] = [];
  calls.Watch(watchOf((status) => heard.push(status)));
  first.emit('close');
  await until(() => heard.length === 1);
  engineOf(health).leave(true);
  await until(() => heard.length === 2);
  expect(heard).toEqual([1, 2]);
});

test('clients that begin to watch all the time do not keep the others from a status', async () => {
  const { health, calls } = service({ groups: { payments: ['stripe'] } });
  let fails = false;
  health.check('stripe', () => (fails ? [new checks.Error('It is down', { id: 'acme.E001' })] : []));
  const heard: number[] = [];
  calls.Watch(watchOf((status) => heard.push(status), 'payments'));
  await until(() => heard.length === 1);
  fails = true;
  await until(() => {
    calls.Watch(watchOf(() => {}, 'payments'));
    return heard.length === 2;
  });
  expect(heard).toEqual([1, 2]);
});

test.each([1, 64, 127, 128, 200, 5000])(
  'a name of %i bytes is not a service, and not that of another',
  async (length) => {
    const { definition, calls } = service();
    const name = Buffer.alloc(length, 'n');
    const varint = length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
    const request = definition.Check.requestDeserialize(
      Buffer.concat([Buffer.from([0x0a, ...varint]), name]),
    );
    const replied = await new Promise((resolve) => {
      calls.Check({ request }, (error) => resolve(error?.code));
    });
    expect(replied).toBe(5);
  },
);
