import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from './install.js';
import { freePort } from './port.js';
import { runProgram, runServer, serverDirectory } from './process.js';
import type { ServiceDefinition } from './service.js';

/** The argument is its configuration; without one it scrapes nothing. */
export const prometheus: ServiceDefinition = {
  name: 'prometheus',
  variable: 'PROMETHEUS_URL',
  commands: ['prometheus', 'promtool'],
  packages: ['prometheus'],
  async start({ args: [config = 'scrape_configs: []\n'] = [] } = {}) {
    const directory = await serverDirectory('prometheus');
    const port = await freePort();
    const file = join(directory, 'prometheus.yml');
    await writeFile(file, config);
    const url = `http://127.0.0.1:${port}`;
    return runServer({
      command: locate(prometheus, 'prometheus'),
      args: [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
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

/** Runs promtool; rejects with what it printed where it is not content. */
export const promtool = (...args: readonly string[]): Promise<void> =>
  runProgram(locate(prometheus, 'promtool'), args);
