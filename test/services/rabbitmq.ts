import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from './install.js';
import { freePort } from './port.js';
import { accepts, runServer, serverDirectory } from './process.js';
import type { ServiceDefinition } from './service.js';

/** RabbitMQ with AMQP 1.0 beside 0-9-1; its names are kept by an epmd of its own, which ends with it. */
export const rabbitmq: ServiceDefinition = {
  name: 'rabbitmq',
  variable: 'RABBITMQ_URL',
  commands: ['rabbitmq-server', 'epmd'],
  // The one on PATH changes the user and looks for settings in /etc.
  directories: ['/usr/lib/rabbitmq/bin', '/usr/sbin'],
  packages: ['rabbitmq-server'],
  onlyOwn: true,
  async start({ args = [] } = {}) {
    const names = await freePort();
    const epmd = await runServer({
      command: locate(rabbitmq, 'epmd'),
      args: ['-port', String(names), '-address', '127.0.0.1'],
      port: names,
      directory: await serverDirectory('epmd'),
      url: '',
    });
    const directory = await serverDirectory('rabbitmq');
    const port = await freePort();
    const plugins = join(directory, 'enabled_plugins');
    const settings = join(directory, 'rabbitmq.conf');
    await writeFile(plugins, '[].\n');
    await writeFile(settings, ['log.console = true', 'log.file = false', ...args, ''].join('\n'));
    const variables = {
      HOME: directory,
      ERL_EPMD_PORT: names,
      ERL_CRASH_DUMP_SECONDS: 0,
      // A daemon that would outlive it.
      ERL_FLAGS: '-start_epmd false',
      RABBITMQ_NODENAME: `lifesign${port}@localhost`,
      RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
      RABBITMQ_NODE_PORT: port,
      RABBITMQ_DIST_PORT: await freePort(),
      RABBITMQ_MNESIA_BASE: directory,
      RABBITMQ_LOG_BASE: directory,
      RABBITMQ_PID_FILE: join(directory, 'pid'),
      RABBITMQ_CONF_ENV_FILE: join(directory, 'none'),
      RABBITMQ_CONFIG_FILE: settings,
      RABBITMQ_ENABLED_PLUGINS_FILE: plugins,
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1} +S 1:1 +sbwt none',
    };
    const server = await runServer({
      command: 'env',
      args: [
        // Mnesia writes its dumps where it runs.
        `--chdir=${directory}`,
        ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
        '/usr/lib/rabbitmq/bin/rabbitmq-server',
      ],
      port,
      directory,
      url: `amqp://guest:guest@127.0.0.1:${port}`,
      ready: () => accepts(port),
    }).catch(async (error: unknown) => {
      await epmd.stop();
      throw error;
    });
    const { stop } = server;
    return Object.assign(server, {
      async stop() {
        await stop();
        await epmd.stop();
      },
    });
  },
};
