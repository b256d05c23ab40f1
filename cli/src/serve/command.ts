import type { RequestListener } from 'node:http';
import type { ErrorEndpointOptions } from '../../../src/core/options/error-endpoint.js';
import { usualHost } from '../../../src/core/options/listen.js';
import { drainOnSignals } from '../../../src/http/drain/drain.js';
import { Health, listenOptions } from '../../../src/frameworks/node.js';
import { parse } from '../../../src/command/arguments.js';
import { listen, portFrom } from '../http/listen.js';
import { type Io, painter } from '../../../src/command/io.js';
import type { Command } from '../../../src/command/command.js';
import { printable } from '../../../src/core/scrub/printable.js';
import { loadConfig, requireChecks } from '../../../src/config/file.js';
import { fromVariables } from '../../../src/config/variables.js';
import { processChecks } from './process-checks.js';
import { boundedServer } from '../../../src/http/bounded-server.js';

/** A source of checks, and the checks found there. */
type Found = Readonly<Record<string, string | undefined>>;

const help = `Usage: lifesign-cli serve [options]

Serves /__version__, /__heartbeat__ and /__lbheartbeat__: as a sidecar, or for
applications that cannot embed lifesign. Without checks it only reports itself.

Options
  --port PORT          port to listen on              (default $PORT, else 8000)
  --host HOST          address to listen on     (default $HOST, else 0.0.0.0)
  --config FILE        file with options and checks
              (default $HEALTH_CONFIG, else health.config.js, .mjs, .cjs or .ts)
  --version-path DIR   directory of version.json      (default current folder)
  --probes             serve /livez, /readyz and /startupz too
  --help               show this help

Checks, for each variable that is set
  DATABASE_URL         postgres:, mysql: or sqlite:, with your installed client
  REDIS_URL            redis: or rediss:, with your installed client
  HEALTH_HTTP_CHECKS   comma-separated list of name=URL

Example
  DATABASE_URL=postgres://app@db/app npx lifesign-cli serve --port 8001
`;

async function run(args: readonly string[], io: Io): Promise<number> {
  const { values } = parse({
    args: [...args],
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      config: { type: 'string' },
      'version-path': { type: 'string' },
      probes: { type: 'boolean' },
    },
  });
  const where = {
    host: values.host ?? usualHost(),
    port: values.port === undefined ? listenOptions().port : portFrom('--port', values.port),
  };
  const { HEALTH_CONFIG, HEALTH_ERROR_ENDPOINT_TOKEN: token } = io.env;
  const loaded = await loadConfig(values.config ?? (HEALTH_CONFIG || undefined), [io.cwd]);
  if (loaded !== undefined) requireChecks(loaded);
  const { checks = {}, ...options } = loaded?.config ?? {};
  const variables = await fromVariables(io.env, options, io.cwd, (thrown) => {
    throw thrown;
  });
  const found: Found = { ...variables.found, config: loaded?.file };
  const own = Object.values(found).some(Boolean) ? {} : processChecks(io.cwd);

  const server = boundedServer(notFound);
  const versionPath = values['version-path'] ?? options.versionPath;
  const health = new Health(server, {
    ...options,
    ...(versionPath !== undefined && { versionPath }),
    ...(values.probes === true && { probes: options.probes ?? true }),
    db: options.db ?? variables.clients.db,
    redis: options.redis ?? variables.clients.redis,
    errorEndpoint: errorEndpointOf(options.errorEndpoint ?? Boolean(token)),
  });
  for (const [name, check] of Object.entries({ ...own, ...variables.checks, ...checks })) {
    health.check(name, check);
  }

  const url = await listen(server, where);
  drainOnSignals(health, {
    server,
    signals: ['SIGTERM'],
    onShutdown: variables.close,
  });
  // A user at a terminal does not want to wait; and as process 1 of a container nothing would happen by itself.
  process.once('SIGINT', () => process.exit(130));
  io.stderr.write(greeting(io, url, { ...found, 'this process': Object.keys(own).join(', ') }));
  return 0;
}

/** All that is not one of the three endpoints. */
const notFound: RequestListener = (_req, res) => {
  const body = '{"error":"not found","endpoints":["/__version__","/__heartbeat__","/__lbheartbeat__"]}';
  res.writeHead(404, { 'Content-Type': 'application/json' }).end(body);
};

/** This process has no application with an error handler to test: it can only log an error. */
function errorEndpointOf(given: boolean | ErrorEndpointOptions): false | ErrorEndpointOptions {
  if (given === false) return false;
  return { onError: failed, ...(given === true ? {} : given) };
}

const failed: ErrorEndpointOptions['onError'] = (_error, _req, res) => {
  res.writeHead(500, { 'Content-Type': 'application/json' }).end('{"error":"internal server error"}');
};

/** Prints the source of the checks: a misspelled variable would go unseen otherwise. */
function greeting(io: Io, url: string, found: Found): string {
  const paint = painter(io, io.stderr);
  const sources = Object.entries(found).filter(([, value]) => Boolean(value));
  const lines = sources.map(([source, value]) => `  ${printable(`${source}: ${value}`)}\n`);
  return `${paint('green', 'lifesign-cli serve')} ${url}/__heartbeat__\n${lines.join('')}`;
}

export const command: Command = { help, run };
