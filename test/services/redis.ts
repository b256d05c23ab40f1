import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { locate } from './install.js';
import { freePort } from './port.js';
import { runServer, serverDirectory } from './process.js';
import type { RunningService, ServiceDefinition } from './service.js';

export const redis: ServiceDefinition = {
  name: 'redis',
  variable: 'REDIS_URL',
  commands: ['redis-server'],
  packages: ['redis-server'],
  async start({ args = [] } = {}) {
    const directory = await serverDirectory('redis');
    const port = await freePort();
    // By default another server of the tests may have the port of a cluster's bus, which is 10,000 above.
    const bus = args.includes('--cluster-enabled') ? ['--cluster-port', String(await freePort())] : [];
    return runServer({
      command: locate(redis, 'redis-server'),
      args: `--port ${port} --bind 127.0.0.1 --dir ${directory} --appendonly no --save`
        .split(' ')
        .concat('', args, bus),
      port,
      directory,
      url: `redis://127.0.0.1:${port}`,
    });
  },
};

/** What `CLUSTER MEET` takes: the port of a server and that of its bus. */
export async function clusterPorts(url: string): Promise<readonly [string, string]> {
  const admin = new Redis(url);
  const [, bus] = (await admin.call('CONFIG', 'GET', 'cluster-port')) as [string, string];
  admin.disconnect();
  return [new URL(url).port, bus];
}

/** A sentinel that knows one server, under the name `main`. */
export async function startSentinel(server: RunningService): Promise<RunningService> {
  const directory = await serverDirectory('sentinel');
  const port = await freePort();
  const settings = join(directory, 'sentinel.conf');
  await writeFile(
    settings,
    `port ${port}\nbind 127.0.0.1\ndir ${directory}\nsentinel monitor main 127.0.0.1 ${server.port} 1\n`,
  );
  return runServer({
    command: locate(redis, 'redis-server'),
    args: [settings, '--sentinel'],
    port,
    directory,
    url: `redis://127.0.0.1:${port}`,
  });
}
