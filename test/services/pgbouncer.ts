import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from './install.js';
import { freePort } from './port.js';
import { runServer, serverDirectory } from './process.js';
import { unprivileged } from './postgres.js';
import type { ServiceDefinition } from './service.js';

/**
 * Arguments are the address of the PostgreSQL server, as `127.0.0.1:5432`, and settings such as `max_client_conn=10`. It has the database `postgres` and its own
 * `pgbouncer`, for the user `lifesign`, who needs no password.
 */
export const pgbouncer: ServiceDefinition = {
  name: 'pgbouncer',
  variable: 'PGBOUNCER_URL',
  commands: ['pgbouncer'],
  directories: ['/usr/sbin'],
  packages: ['pgbouncer'],
  onlyOwn: true,
  async start({ args = [] } = {}) {
    const directory = await serverDirectory('pgbouncer');
    const port = await freePort();
    const [host, serverPort] = (args.find((arg) => /^[\d.]+:\d+$/.test(arg)) ?? '127.0.0.1:5432').split(':');
    const users = join(directory, 'users.txt');
    const file = join(directory, 'pgbouncer.ini');
    await writeFile(users, '"lifesign" ""\n');
    const lines = [
      '[databases]',
      `postgres = host=${host} port=${serverPort} dbname=postgres user=lifesign`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${users}`,
      'admin_users = lifesign',
      'pool_mode = transaction',
      'ignore_startup_parameters = extra_float_digits',
      ...args.filter((arg) => arg.includes('=')).map((arg) => arg.replace('=', ' = ')),
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    const [command, ...commandArgs] = unprivileged(locate(pgbouncer, 'pgbouncer'));
    return runServer({
      command,
      args: [...commandArgs, file],
      port,
      directory,
      url: `postgres://lifesign@127.0.0.1:${port}/postgres`,
    });
  },
};
