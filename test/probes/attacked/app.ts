// A service with a pool of three and the probes; sends each change of a verdict to its parent: node --import tsx app.ts
import { createServer } from 'node:http';
import { createServer as createHttp2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { Pool } from 'pg';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health } from 'lifesign/node';
import { pause } from '../../core/waiting.js';

/** What the parent decides. */
export interface Setup {
  readonly framework: 'node' | 'express' | 'http2';
  readonly healthPort?: number;
  readonly peers?: readonly string[];
  readonly probes?: object;
  readonly url: string;
  /** Milliseconds for which /hold keeps a connection without a query. */
  readonly hold: number;
}

const { framework, healthPort, peers, probes, url, hold } = JSON.parse(process.env['SETUP'] ?? '') as Setup;

const pool = new Pool({ connectionString: url, max: 3 });
pool.on('error', () => {});

async function work(path: string | undefined): Promise<void> {
  if (path === '/slow') await pool.query('SELECT pg_sleep(0.5)');
  if (path !== '/hold') return;
  const client = await pool.connect();
  // As if another service were asked.
  await pause(hold);
  client.release();
}

/** What requests and responses of HTTP/1 and HTTP/2 have in common. */
interface Incoming {
  readonly url?: string | undefined;
  resume(): unknown;
}
interface Outgoing {
  statusCode: number;
  end(text: string): unknown;
}

function serve(req: Incoming, res: Outgoing): void {
  // Bodies are read, except by /ignore.
  if (req.url !== '/ignore') req.resume();
  work(req.url).then(
    () => res.end('done'),
    () => {
      res.statusCode = 500;
      res.end('an error page');
    },
  );
}

const options = {
  db: pool,
  timeout: 500,
  logger: false,
  metrics: true,
  probes: { ...probes, ...(peers !== undefined && { peers }) },
  ...(healthPort !== undefined && { healthPort }),
} as const;

function make() {
  if (framework === 'express') {
    const app = express();
    const health = new ExpressHealth(app, options);
    app.use(serve);
    return { health, server: createServer(app) };
  }
  const server = framework === 'http2' ? createHttp2(serve) : createServer(serve);
  return { health: new Health(server, options), server };
}

const { health, server } = make();
health.on('verdictChanged', ({ live, ready, started, checks }) => {
  process.send?.({ live, ready, started, checks });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit());
