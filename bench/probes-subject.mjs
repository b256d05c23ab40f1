// One instance of a service with a pool, its health told by the library that is named: `node probes-subject.mjs lifesign`.
import { createServer } from 'node:http';
import { Pool } from 'pg';

const [name] = process.argv.slice(2);
const port = Number(process.env.PORT);
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 3, connectionTimeoutMillis: 1500 });
pool.on('error', () => {});

/** The service itself: a page that needs the database, a leak, and a block of the event loop. */
async function route(url) {
  if (url === '/leak') {
    await Promise.all([1, 2, 3].map(() => pool.connect().catch(() => {})));
    return 'leaked';
  }
  if (url === '/block') {
    setTimeout(() => {
      for (const end = Date.now() + 6000; Date.now() < end;);
    });
    return 'blocked';
  }
  await pool.query('SELECT 1');
  return 'hello';
}
const plain = () =>
  createServer((req, res) => {
    route(req.url).then(
      (text) => res.end(text),
      () => res.writeHead(500).end('an error page'),
    );
  });
const listen = (server) =>
  new Promise((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
// As their documentation has it: one round trip over the pool.
const check = () => pool.query('SELECT 1');

const subjects = {
  async lifesign() {
    const { Health } = await import('lifesign/node');
    const server = plain();
    new Health(server, {
      db: pool,
      timeout: 1500,
      summary: false,
      logger: false,
      probes: { restartAfter: 3000, probeEvery: 500, secondOpinionEvery: 1000 },
      watchdog: { port: Number(process.env.WATCHDOG_PORT) },
    });
    await listen(server);
  },
  async heartbeat() {
    const { Health } = await import('lifesign/node');
    const server = plain();
    new Health(server, { db: pool, timeout: 1500, summary: false, logger: false });
    await listen(server);
  },
  async terminus() {
    const { createTerminus } = await import('@godaddy/terminus');
    await listen(createTerminus(plain(), { healthChecks: { '/health': check } }));
  },
  async nest() {
    await import('reflect-metadata');
    const { Controller, Get, HttpCode, Module, Post, Req } = await import('@nestjs/common');
    const { NestFactory } = await import('@nestjs/core');
    const { HealthCheckService, HealthIndicatorService, TerminusModule } = await import('@nestjs/terminus');
    class HealthController {
      constructor(health, indicators) {
        Object.assign(this, { health, indicators });
      }
      check() {
        // As its documentation writes a custom indicator.
        return this.health.check([
          async () => {
            const indicator = this.indicators.check('database');
            try {
              await check();
              return indicator.up();
            } catch (error) {
              return indicator.down({ message: error.message });
            }
          },
        ]);
      }
      all(req) {
        return route(req.url);
      }
      posted(req) {
        return route(req.url);
      }
    }
    const { prototype } = HealthController;
    Reflect.defineMetadata(
      'design:paramtypes',
      [HealthCheckService, HealthIndicatorService],
      HealthController,
    );
    for (const [method, decorator, path] of [
      ['check', Get, 'health'],
      ['all', Get, '{*any}'],
      ['posted', Post, '{*any}'],
    ]) {
      Reflect.defineMetadata('design:paramtypes', [Object], prototype, method);
      if (method !== 'check') Req()(prototype, method, 0);
      const descriptor = Object.getOwnPropertyDescriptor(prototype, method);
      // A POST of NestJS answers 201, and the load counts 200.
      if (method === 'posted') HttpCode(200)(prototype, method, descriptor);
      decorator(path)(prototype, method, descriptor);
    }
    Controller()(HealthController);
    class App {}
    Module({ imports: [TerminusModule], controllers: [HealthController] })(App);
    const app = await NestFactory.create(App, { logger: false });
    await app.listen(port, '127.0.0.1');
  },
};

await subjects[name]();
process.send('listening');
