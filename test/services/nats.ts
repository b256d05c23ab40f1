import { locate } from './install.js';
import { freePort } from './port.js';
import { runServer, serverDirectory } from './process.js';
import type { ServiceDefinition } from './service.js';

/** NATS with JetStream, for a user with a password. */
export const nats: ServiceDefinition = {
  name: 'nats',
  variable: 'NATS_URL',
  commands: ['nats-server'],
  directories: ['/usr/sbin'],
  packages: ['nats-server'],
  onlyOwn: true,
  async start({ args = [] } = {}) {
    const directory = await serverDirectory('nats');
    const port = await freePort();
    return runServer({
      command: locate(nats, 'nats-server'),
      args: `-a 127.0.0.1 -p ${port} -js -sd ${directory} --user planted_user --pass pl4nted-S3cret`
        .split(' ')
        .concat(args),
      port,
      directory,
      url: `nats://127.0.0.1:${port}`,
    });
  },
};
