import { Client } from 'memjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canStart, startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { versionOf } from './clients/client.js';
import { heartbeats } from './heartbeats.js';
import { expectTable } from './matrix.js';

describe.skipIf(!canStart('memcached'))(`memjs ${versionOf('memjs')} on memcached`, () => {
  let servers: readonly RunningService[] = [];
  beforeAll(async () => {
    servers = await Promise.all([startService('memcached'), startService('memcached')]);
  });
  afterAll(() => Promise.all(servers.map((server) => server.stop())));

  it('is ok, fails when one server is frozen or killed, and recovers', async () => {
    const [, second] = servers;
    if (second === undefined) throw new Error('No server');
    const client = Client.create(servers.map(({ url }) => url).join(','), { logger: { log: () => {} } });
    const { beat, ids, until } = heartbeats({ redis: client, timeout: 5000 });
    await until([]);
    expect((await Promise.all(Array.from({ length: 100 }, ids))).flat()).toEqual([]);

    second.freeze();
    await until(['health.E004']);
    expect(JSON.stringify(await beat())).toContain(
      `Cannot connect to memcached: ${second.url} did not answer`,
    );
    second.thaw();
    await until([]);

    await second.kill();
    await until(['health.E004', 'health.E007']);
    await second.restart();
    await until([]);
    client.close();
    expectTable('Clients on memcached', [{ client: 'memjs', version: versionOf('memjs') }]);
  });
});
