import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from './install.js';
import { runServer, serverDirectory } from './process.js';
import type { ServiceDefinition } from './service.js';

/** The mock cluster of librdkafka, which is in kcat: it finds its port itself, and another one when it is started again. */
export const kafka: ServiceDefinition = {
  name: 'kafka',
  variable: 'KAFKA_BROKERS',
  commands: ['kcat'],
  packages: ['kcat'],
  onlyOwn: true,
  async start() {
    const directory = await serverDirectory('kafka');
    const log = join(directory, 'log');
    let port = 0;
    const server = await runServer({
      command: 'sh',
      // It ends with its input.
      args: [
        '-c',
        `sleep 100000 | "$0" -P -b x -t jobs -X test.mock.num.brokers=1 -d mock 2>"$1"`,
        locate(kafka, 'kcat'),
        log,
      ],
      port: 0,
      directory,
      url: '',
      async ready() {
        const found = /replaced with 127\.0\.0\.1:(\d+)/.exec(await readFile(log, 'utf8'));
        if (found === null) throw new Error('It has not told its port');
        port = Number(found[1]);
      },
    });
    return Object.assign(server, { port, url: `127.0.0.1:${port}` });
  },
};
