import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from './install.js';
import { freePort } from './port.js';
import { runProgram, runServer, serverDirectory } from './process.js';
import type { ServiceDefinition } from './service.js';

/** Starts a program of Prometheus with a configuration; all of them take it, their port and their data alike. */
export async function startWith(definition: ServiceDefinition, config: string, more: readonly string[]) {
  const directory = await serverDirectory(definition.name);
  const port = await freePort();
  const file = join(directory, `${definition.name}.yml`);
  await writeFile(file, config);
  const url = `http://127.0.0.1:${port}`;
  const common = [`--config.file=${file}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=warn'];
  return runServer({
    command: locate(definition, definition.commands[0] ?? ''),
    args: [...common, ...more.map((arg) => arg.replace('DATA', join(directory, 'data')))],
    port,
    directory,
    ready: async () => {
      const { ok } = await fetch(`${url}/-/ready`);
      if (!ok) throw new Error('It is not ready yet');
    },
    url,
  });
}

/** The argument is its configuration; without one it scrapes nothing. */
export const prometheus: ServiceDefinition = {
  name: 'prometheus',
  variable: 'PROMETHEUS_URL',
  commands: ['prometheus', 'promtool'],
  packages: ['prometheus'],
  start: ({ args: [config = 'scrape_configs: []\n'] = [] } = {}) =>
    startWith(prometheus, config, ['--storage.tsdb.path=DATA']),
};

/** Runs promtool; rejects with what it printed where it is not content. */
export const promtool = (...args: readonly string[]): Promise<void> =>
  runProgram(locate(prometheus, 'promtool'), args);
