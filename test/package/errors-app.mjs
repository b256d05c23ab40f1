// node errors-app.mjs FRAMEWORK SCENARIO [with]: an application with a bug; what it prints is compared with and without lifesign.
import { createServer } from 'node:http';

const [framework, scenario, lifesign] = process.argv.slice(2);

/** Where the bugs are: what Node prints first must be these lines. */
const bugs = {
  sync() {
    throw new Error('sync bug');
  },
  async async() {
    await Promise.resolve();
    throw new Error('async bug');
  },
  text() {
    throw 'text bug';
  },
};
const bug = bugs[scenario] ?? (() => {});

async function health(entry, app) {
  if (lifesign === undefined) return;
  const { Health } = await import(`lifesign/${entry}`);
  new Health(app, { logger: false, page: true, metrics: true });
}

const frameworks = {
  async node() {
    const server = createServer(bug);
    await health('node', server);
    return server;
  },
  async express() {
    const { default: express } = await import('express');
    const app = express();
    await health('express', app);
    app.get('/', bug);
    return createServer(app);
  },
  async fastify() {
    const { default: Fastify } = await import('fastify');
    const app = Fastify({ logger: { level: 'error', timestamp: false, base: {}, stream: process.stderr } });
    await health('fastify', app);
    app.get('/', bug);
    await app.ready();
    return app.server;
  },
  async koa() {
    const { default: Koa } = await import('koa');
    const app = new Koa();
    await health('koa', app);
    app.use(bug);
    return createServer(app.callback());
  },
  async nestjs() {
    const { Controller, Get, Module } = await import('@nestjs/common');
    const { NestFactory } = await import('@nestjs/core');
    class Home {
      home() {
        return bug();
      }
    }
    Controller()(Home);
    Get('/')(Home.prototype, 'home', Object.getOwnPropertyDescriptor(Home.prototype, 'home'));
    const { HealthMiddleware, HealthModule } = await import('lifesign/nestjs');
    class App {
      configure(consumer) {
        if (lifesign !== undefined) consumer.apply(HealthMiddleware).forRoutes('{*path}');
      }
    }
    const settings = { BASE_DIR: import.meta.dirname, HEALTH_CHECKS: [], logger: false };
    const imports = lifesign === undefined ? [] : [HealthModule.forRoot(settings)];
    Module({ imports, controllers: [Home] })(App);
    const app = await NestFactory.create(App, { logger: new ErrorsOnly() });
    await app.init();
    return app.getHttpServer();
  },
};

/** Nest's default logger prints the time and the process id. */
class ErrorsOnly {
  log() {}
  warn() {}
  error(...all) {
    console.error(...all);
  }
}

const server = await frameworks[framework]();
// A start that fails: the port belongs to another server.
if (scenario === 'start') {
  const other = createServer().listen(0, '127.0.0.1', () => server.listen(other.address().port, '127.0.0.1'));
} else {
  server.listen(0, '127.0.0.1', async () => {
    await fetch(`http://127.0.0.1:${server.address().port}/`).catch(() => {});
    setTimeout(() => process.exit(), 50);
  });
}
