import { locate } from './install.js';
import { freePort, runServer, serverDirectory } from './process.js';
import type { ServiceDefinition } from './service.js';

export const redis: ServiceDefinition = {
  name: 'redis',
  variable: 'REDIS_URL',
  commands: ['redis-server'],
  packages: ['redis-server'],
  async start({ args = [] } = {}) {
    const directory = await serverDirectory('redis');
    const port = await freePort();
    return runServer({
      command: locate(redis, 'redis-server'),
      args: `--port ${port} --bind 127.0.0.1 --dir ${directory} --appendonly no --save`
        .split(' ')
        .concat('', args),
      port,
      directory,
      url: `redis://127.0.0.1:${port}`,
    });
  },
};
