import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from './install.js';
import { freePort } from './port.js';
import { runServer, serverDirectory } from './process.js';
import type { ServiceDefinition } from './service.js';

/** The argument is its configuration; without one it tells nobody. */
export const alertmanager: ServiceDefinition = {
  name: 'alertmanager',
  variable: 'ALERTMANAGER_URL',
  commands: ['prometheus-alertmanager'],
  packages: ['prometheus-alertmanager'],
  async start({ args: [config = 'route: { receiver: none }\nreceivers: [{ name: none }]\n'] = [] } = {}) {
    const directory = await serverDirectory('alertmanager');
    const port = await freePort();
    const file = join(directory, 'alertmanager.yml');
    await writeFile(file, config);
    const url = `http://127.0.0.1:${port}`;
    return runServer({
      command: locate(alertmanager, 'prometheus-alertmanager'),
      args: [
        `--config.file=${file}`,
        `--storage.path=${join(directory, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        // Alone: no port for others of its kind.
        '--cluster.listen-address=',
        '--log.level=warn',
      ],
      port,
      directory,
      ready: async () => {
        const { ok } = await fetch(`${url}/-/ready`);
        if (!ok) throw new Error('It is not ready yet');
      },
      url,
    });
  },
};
