import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { vi } from 'vitest';
import { issue } from '../checks/issue.js';
import { locate } from '../services/install.js';
import { startService } from '../services/index.js';
import { freePort } from '../services/port.js';
import { runServer, serverDirectory } from '../services/process.js';
import { clusterPorts, redis, startSentinel } from '../services/redis.js';
import type { RunningService } from '../services/service.js';
import { type Counts, planted, type Stage } from './stage.js';

type Ask = <T>(use: (admin: Redis) => Promise<T>) => Promise<T>;

/** Asks a server, over a connection of its own. */
const askOf =
  (port: number, ca?: string): Ask =>
  async (use) => {
    const tls = ca === undefined ? {} : { tls: { ca, servername: 'localhost' } };
    const admin = new Redis({ host: '127.0.0.1', port, ...tls });
    admin.on('error', () => {});
    try {
      return await use(admin);
    } finally {
      admin.disconnect();
    }
  };

const rules = (password: string) =>
  ['SETUSER', planted.user, 'reset', 'on', `>${password}`, '~*', '&*', '+@all'] as const;

/** What was counted since the statistics were reset, without what asks for them. */
async function countOf(ask: Ask): Promise<Counts> {
  return ask(async (admin) => {
    const text = `${await admin.info('stats')}${await admin.info('commandstats')}`;
    const connections = Number(/total_connections_received:(\d+)/.exec(text)?.[1] ?? 0);
    const calls = [...text.matchAll(/^cmdstat_(\S+?):calls=(\d+)/gm)].filter(
      ([, name = '']) => !/^(?:info|config|acl|client|replconf|psync|sentinel|publish)/.test(name),
    );
    return { connections, statements: calls.reduce((sum, [, , count]) => sum + Number(count), 0) };
  });
}

/** The faults of servers that all have the user; what happens to one of them alone is `first`. */
function faultsOf(
  servers: readonly RunningService[],
  asks: readonly Ask[],
): Omit<Stage, 'port' | 'database' | 'stop'> {
  const each = async (use: (admin: Redis) => Promise<unknown>) => {
    for (const ask of asks) await ask(use);
  };
  const [first] = servers;
  if (first === undefined) throw new Error('No server');
  const setUser = (password: string) =>
    each(async (admin) => {
      await admin.call('ACL', ...rules(password));
    });
  let asked = 0;
  return {
    kill: () => first.kill(),
    async restart() {
      await first.restart();
      await setUser(planted.password);
    },
    freeze: () => first.freeze(),
    thaw: () => first.thaw(),
    async changePassword(password) {
      await setUser(password);
      await each((admin) => admin.call('CLIENT', 'KILL', 'USER', planted.user));
    },
    async fill() {
      // Those that are connected stay: this one is, and lifts the limit in the end.
      const releases = await Promise.all(
        asks.map(
          (ask) =>
            new Promise<() => Promise<void>>((resolve) => {
              const over = ask(async (admin) => {
                await admin.config('SET', 'maxclients', '1');
                await admin.call('CLIENT', 'KILL', 'USER', planted.user);
                await new Promise<void>((end) => {
                  resolve(async () => {
                    end();
                    await over;
                  });
                });
                await admin.config('SET', 'maxclients', '1000');
              });
            }),
        ),
      );
      return async () => void (await Promise.all(releases.map((release) => release())));
    },
    setReadOnly: (isOn) => each((admin) => admin.config('SET', 'min-replicas-to-write', isOn ? '1' : '0')),
    async count() {
      const counts = await Promise.all(asks.map(countOf));
      asked += asks.length;
      const sum = (of: keyof Counts) => counts.reduce((total, count) => total + count[of], 0);
      // Each count is a connection itself, since the first one.
      return { connections: sum('connections') - asked, statements: sum('statements') };
    },
  };
}

/** One server, over TLS. */
export async function tlsStage(): Promise<Stage> {
  const directory = await serverDirectory('redis');
  const folder = mkdtempSync(join(tmpdir(), 'lifesign-clients-'));
  const port = await freePort();
  const { key, cert } = issue(-1, 30);
  for (const [name, text] of Object.entries({ key, cert })) writeFileSync(join(folder, name), text);
  const args =
    `--port 0 --tls-port ${port} --tls-cert-file ${folder}/cert --tls-key-file ${folder}/key --tls-ca-cert-file ${folder}/cert --tls-auth-clients no --bind 127.0.0.1 --dir ${directory} --appendonly no --save`
      .split(' ')
      .concat('');
  const url = `rediss://127.0.0.1:${port}`;
  const server = await runServer({ command: locate(redis, 'redis-server'), args, port, directory, url });
  const ask = askOf(port, cert);
  await ask((admin) => admin.call('ACL', ...rules(planted.password)));
  return {
    ...faultsOf([server], [ask]),
    port,
    database: '',
    ca: cert,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One server, which a sentinel knows. */
export async function sentinelStage(): Promise<Stage> {
  const server = await startService('redis');
  const sentinel = await startSentinel(server);
  const ask = askOf(server.port);
  await ask((admin) => admin.call('ACL', ...rules(planted.password)));
  return {
    ...faultsOf([server], [ask]),
    port: sentinel.port,
    database: '',
    async stop() {
      await sentinel.stop();
      await server.stop();
    },
  };
}

/** A cluster of three servers, of which one has the trouble. */
export async function clusterStage(): Promise<Stage> {
  const settings = '--cluster-enabled yes --cluster-announce-ip 127.0.0.1 --cluster-node-timeout 500'.split(
    ' ',
  );
  const servers = await Promise.all([0, 1, 2].map(() => startService('redis', { args: settings })));
  const asks = servers.map(({ port }) => askOf(port));
  const ports = await clusterPorts(servers[0]?.url ?? '');
  const ranges = ['0 5460', '5461 10922', '10923 16383'];
  for (const [index, ask] of asks.entries()) {
    await ask(async (admin) => {
      await admin.call('ACL', ...rules(planted.password));
      await admin.call('CLUSTER', 'ADDSLOTSRANGE', ...(ranges[index] ?? '').split(' '));
      await admin.call('CLUSTER', 'MEET', '127.0.0.1', ...ports);
    });
  }
  const state = (ask: Ask | undefined) => ask?.((admin) => admin.cluster('INFO'));
  await vi.waitFor(
    async () => {
      for (const ask of asks)
        if (!String(await state(ask)).includes('cluster_state:ok')) throw new Error('not yet');
    },
    { timeout: 30_000, interval: 100 },
  );
  return {
    ...faultsOf(servers, asks),
    port: servers[1]?.port ?? 0,
    database: '',
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}
