import { locate } from './install.js';
import { freePort } from './port.js';
import { runServer, serverDirectory } from './process.js';
import type { ServiceDefinition } from './service.js';

export const memcached: ServiceDefinition = {
  name: 'memcached',
  variable: 'MEMCACHED_URL',
  commands: ['memcached'],
  packages: ['memcached'],
  async start({ args = [] } = {}) {
    const directory = await serverDirectory('memcached');
    const port = await freePort();
    const user = process.getuid?.() === 0 ? ['-u', 'root'] : [];
    return runServer({
      command: locate(memcached, 'memcached'),
      args: ['-p', String(port), '-l', '127.0.0.1', '-m', '8', ...user, ...args],
      port,
      directory,
      url: `127.0.0.1:${port}`,
    });
  },
};
