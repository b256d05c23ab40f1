import { createClient } from '@libsql/client';
import { expect, it } from 'vitest';
import { heartbeats } from './heartbeats.js';

it('@libsql/client is ok while it is open and unusable once it is closed', async () => {
  const client = createClient({ url: 'file::memory:' });
  const { ids } = heartbeats({ db: client });
  expect(await ids()).toEqual([]);
  client.close();
  expect(await ids()).toEqual(['health.E002']);
});
