import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from './install.js';
import { freePort } from './port.js';
import { runServer, serverDirectory } from './process.js';
import type { ServiceDefinition } from './service.js';

/**
 * Arguments are the addresses of the servers it balances, a path where it asks them in place of `/__lbheartbeat__`, ten times a second, and a line such as `timeout check 2s`
 * in place of 10 s, or `http-reuse always`. It tells at `/haproxy-stats;csv`.
 */
export const haproxy: ServiceDefinition = {
  name: 'haproxy',
  variable: 'HAPROXY_URL',
  commands: ['haproxy'],
  directories: ['/usr/sbin'],
  packages: ['haproxy'],
  async start({ args = [] } = {}) {
    const directory = await serverDirectory('haproxy');
    const port = await freePort();
    const file = join(directory, 'haproxy.cfg');
    // No retries and no redispatch: what one server loses, the client loses.
    const lines = [
      'defaults',
      '  mode http',
      '  retries 0',
      '  timeout connect 5s',
      '  timeout client 60s',
      '  timeout server 60s',
      `  ${args.find((arg) => arg.startsWith('timeout ')) ?? 'timeout check 10s'}`,
      ...args.filter((arg) => arg.startsWith('http-reuse ')).map((line) => `  ${line}`),
      'listen web',
      `  bind 127.0.0.1:${port}`,
      `  option httpchk GET ${args.find((arg) => arg.startsWith('/')) ?? '/__lbheartbeat__'}`,
      '  default-server check inter 100ms fall 1 rise 1',
      '  stats enable',
      '  stats uri /haproxy-stats',
      ...args.filter((arg) => /^[\d.]+:/.test(arg)).map((address, index) => `  server s${index} ${address}`),
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    return runServer({
      command: locate(haproxy, 'haproxy'),
      args: ['-db', '-f', file],
      port,
      directory,
      url: `http://127.0.0.1:${port}`,
    });
  },
};
