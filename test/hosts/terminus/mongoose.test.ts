import { once } from 'node:events';
import mongoose from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { checks } from 'lifesign';
import { mongoServer } from '../../checks/mongo-server.js';
import { freePort } from '../../services/port.js';
import { beat, until } from './say.js';

it('checks.mongo takes a connection of mongoose', async () => {
  const to = (port: number) => {
    const connection = mongoose.createConnection(`mongodb://127.0.0.1:${port}/`, {
      serverApi: '1',
      serverMonitoringMode: 'poll',
      serverSelectionTimeoutMS: 3000,
    });
    connection.asPromise().catch(() => {});
    onTestFinished(async () => connection.close(true));
    return () => beat(checks.mongo(connection), 5000);
  };
  const server = mongoServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const up = to(Number((server.address() as { port: number }).port));
  await until(async () => (await up()).length === 0, 'mongoose is connected');
  expect(await to(await freePort())()).toEqual(['health.E021']);
});
