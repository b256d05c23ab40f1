import { readdir, readFile, writeFile } from 'node:fs/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { issue } from '../checks/issue.js';
import { startService } from '../services/index.js';
import type { RunningService } from '../services/service.js';
import { type Counts, planted, type Stage } from './stage.js';

const most = 20;
const reserved = 3;

/** Asks as the superuser, over a connection of its own. */
async function asked<Row extends object>(
  url: string,
  ...statements: readonly string[]
): Promise<readonly Row[]> {
  const admin = new Client({ connectionString: url });
  admin.on('error', () => {});
  await admin.connect();
  try {
    let rows: readonly Row[] = [];
    for (const statement of statements) ({ rows } = await admin.query<Row>(statement));
    return rows;
  } finally {
    await admin.end();
  }
}

/** Clients that hold connections until they are given back. */
async function held(open: () => Client): Promise<() => Promise<void>> {
  const clients: Client[] = [];
  try {
    for (;;) {
      const client = open();
      client.on('error', () => {});
      await client.connect();
      clients.push(client);
    }
  } catch {
    return async () => void (await Promise.all(clients.map((client) => client.end())));
  }
}

export interface PostgresStage extends Stage {
  readonly server: RunningService;
}

/** A PostgreSQL that logs each connection and counts each statement, over TLS if that is wanted. */
export async function postgresStage(options: { readonly tls?: boolean } = {}): Promise<PostgresStage> {
  const folder = mkdtempSync(join(tmpdir(), 'lifesign-clients-'));
  const { key, cert } = issue(-1, 30);
  const [keyFile, certFile] = [join(folder, 'key'), join(folder, 'cert')];
  writeFileSync(keyFile, key, { mode: 0o600 });
  writeFileSync(certFile, cert);
  const settings = [
    `max_connections=${most}`,
    `superuser_reserved_connections=${reserved}`,
    'shared_preload_libraries=pg_stat_statements',
    'logging_collector=on',
    `log_directory=${folder}/log`,
    'log_connections=on',
    ...(options.tls === true ? ['ssl=on', `ssl_cert_file=${certFile}`, `ssl_key_file=${keyFile}`] : []),
  ];
  const server = await startService('postgres', { args: settings.flatMap((each) => ['-c', each]) });
  await asked(
    server.url,
    'CREATE EXTENSION pg_stat_statements',
    `CREATE ROLE ${planted.user} LOGIN PASSWORD '${planted.password}'`,
    `CREATE DATABASE ${planted.database} OWNER ${planted.user}`,
  );
  const connections = async () => {
    const names = await readdir(join(folder, 'log'));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, 'log', name), 'utf8')));
    return texts.join('').split(`connection authorized: user=${planted.user}`).length - 1;
  };
  return {
    server,
    port: server.port,
    database: planted.database,
    ...(options.tls === true && { ca: cert }),
    kill: () => server.kill(),
    restart: () => server.restart(),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    changePassword: async (password) =>
      void (await asked(
        server.url,
        `ALTER ROLE ${planted.user} PASSWORD '${password}'`,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${planted.user}'`,
      )),
    async fill() {
      await asked(
        server.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${planted.user}'`,
      );
      return held(() => new Client({ connectionString: server.url }));
    },
    setReadOnly: async (isOn) =>
      void (await asked(
        server.url,
        `ALTER SYSTEM SET default_transaction_read_only = ${isOn ? 'on' : 'off'}`,
        'SELECT pg_reload_conf()',
      )),
    async count(): Promise<Counts> {
      const [row] = await asked<{ calls: string }>(
        server.url,
        `SELECT coalesce(sum(calls), 0) AS calls FROM pg_stat_statements JOIN pg_roles ON oid = userid WHERE rolname = '${planted.user}'`,
      );
      return { connections: await connections(), statements: Number(row?.calls) };
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PgBouncer, by transactions and with passwords, in front of a PostgreSQL. What happens to PostgreSQL happens behind it. */
export async function bouncerStage(): Promise<Stage> {
  const behind = await postgresStage();
  const folder = mkdtempSync(join(tmpdir(), 'lifesign-clients-'));
  const users = join(folder, 'users.txt');
  const write = (password: string) =>
    writeFile(users, `"${planted.user}" "${password}"\n"lifesign" "admin"\n`);
  await write(planted.password);
  const bouncer = await startService('pgbouncer', {
    args: [
      `127.0.0.1:${behind.port}`,
      'auth_type=md5',
      `auth_file=${users}`,
      'default_pool_size=2',
      'max_client_conn=15',
      `logfile=${join(folder, 'log')}`,
    ],
  });
  const address = () => `postgres://lifesign:admin@127.0.0.1:${bouncer.port}/pgbouncer`;
  const told = async <Row extends object>(...statements: readonly string[]) => {
    const admin = new Client({ connectionString: address() });
    admin.on('error', () => {});
    await admin.connect();
    let rows: readonly Row[] = [];
    for (const statement of statements) ({ rows } = await admin.query<Row>(statement));
    await admin.end();
    return rows;
  };
  return {
    ...behind,
    port: bouncer.port,
    database: 'postgres',
    kill: () => bouncer.kill(),
    restart: () => bouncer.restart(),
    freeze: () => bouncer.freeze(),
    thaw: () => bouncer.thaw(),
    async changePassword(password) {
      // It reads the file again if its time in seconds is another one.
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await write(password);
      await told('RELOAD', 'KILL postgres', 'RESUME postgres');
    },
    async fill() {
      await told('KILL postgres', 'RESUME postgres');
      return held(
        () => new Client({ ...planted, host: '127.0.0.1', port: bouncer.port, database: 'postgres' }),
      );
    },
    async count(): Promise<Counts> {
      const stats = await told<{ database: string; total_query_count: string }>('SHOW STATS');
      const own = stats.find(({ database }) => database === 'postgres');
      const log = await readFile(join(folder, 'log'), 'utf8');
      const connections = log.split(`login attempt: db=postgres user=${planted.user}`).length - 1;
      return { connections, statements: Number(own?.total_query_count ?? 0) };
    },
    async stop() {
      await bouncer.stop();
      await behind.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
