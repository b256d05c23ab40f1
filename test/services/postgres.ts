import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from './install.js';
import { freePort } from './port.js';
import { copyOfNew, runProgram, runServer, serverDirectory } from './process.js';
import type { ServiceDefinition } from './service.js';

export const postgres: ServiceDefinition = {
  name: 'postgres',
  variable: 'DATABASE_URL',
  commands: ['postgres', 'initdb', 'pg_isready'],
  directories: [15, 16, 17, 18, 14].map((version) => `/usr/lib/postgresql/${version}/bin`),
  packages: ['postgresql-15'],
  async start({ args = [] } = {}) {
    const directory = await serverDirectory('postgres');
    const port = await freePort();
    const data = join(directory, 'data');
    const program = locate(postgres, 'initdb');
    await copyOfNew(program, data, (place) => {
      const [initdb, ...args] = unprivileged(program);
      return runProgram(initdb, [...args, ...`-D ${place} -U lifesign -A trust -N -E UTF8`.split(' ')]);
    });
    // The suite's own user needs no password; those that tests create do.
    await writeFile(
      join(data, 'pg_hba.conf'),
      'host all lifesign 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n',
    );
    const [command, ...commandArgs] = unprivileged(locate(postgres, 'postgres'));
    return runServer({
      command,
      args: commandArgs.concat(
        `-D ${data} -p ${port} -h 127.0.0.1 -F -c max_connections=200 -k`.split(' '),
        '',
        args,
      ),
      port,
      directory,
      // After a crash it listens before it is of use.
      ready: () => runProgram(locate(postgres, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]),
      url: `postgres://lifesign@127.0.0.1:${port}/postgres`,
    });
  },
};

/** PostgreSQL and PgBouncer refuse to run as root: a user namespace makes root `nobody`, who owns the files all the same. */
export function unprivileged(program: string): [string, ...string[]] {
  if (process.getuid?.() !== 0) return [program];
  return ['unshare', '-U', '--map-user=65534', '--map-group=65534', '--', program];
}
