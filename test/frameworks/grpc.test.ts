import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { engineOf } from '../../src/core/health.js';
import type { LogRecord } from '../../src/core/log.js';
import { grpcHealth } from '../../src/grpc/index.js';
import { createHandler } from '../../src/index.js';
import { until } from '../core/waiting.js';

function service() {
  const records: LogRecord[] = [];
  const { health } = createHandler({
    logger: { log: (record) => void records.push(record) },
    versionPath: '/nowhere',
  });
  onTestFinished(() => health.close());
  const [definition, calls] = grpcHealth(health);
  const failures = () => records.filter(({ msg }) => msg === 'The gRPC health service failed');
  return { health, definition, calls, failures };
}

function watchOf(write: (status: number) => unknown) {
  return Object.assign(new EventEmitter(), { request: { service: '' }, write });
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
