import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from './install.js';
import { freePort } from './port.js';
import { copyOfNew, runProgram, runServer, serverDirectory } from './process.js';
import type { ServiceDefinition } from './service.js';

export const mariadb: ServiceDefinition = {
  name: 'mariadb',
  variable: 'MYSQL_URL',
  commands: ['mariadbd', 'mariadb-install-db'],
  directories: ['/usr/sbin'],
  packages: ['mariadb-server-core', 'mariadb-client-core'],
  async start({ args = [] } = {}) {
    const directory = await serverDirectory('mariadb');
    const port = await freePort();
    const user = process.getuid?.() === 0 ? ['--user=root'] : [];
    // Its own: a MariaDB that starts deletes the temporary tables of all others in the same one.
    const temporary = await mkdtemp(join(directory, 'tmp-'));
    const data = join(directory, 'data');
    const common = ['--no-defaults', ...user, `--tmpdir=${temporary}`];
    const program = locate(mariadb, 'mariadb-install-db');
    await copyOfNew(program, data, (place) =>
      runProgram(program, [
        ...common,
        `--datadir=${place}`,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
      ]),
    );
    return runServer({
      command: locate(mariadb, 'mariadbd'),
      args: [
        ...common,
        `--datadir=${data}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        `--socket=${join(directory, 'socket')}`,
        `--pid-file=${join(directory, 'pid')}`,
        '--innodb-flush-log-at-trx-commit=0',
        ...args,
      ],
      port,
      directory,
      url: `mysql://root@127.0.0.1:${port}/mysql`,
    });
  },
};
