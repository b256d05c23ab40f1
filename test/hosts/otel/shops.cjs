// The same small shop on each framework. What it stands on is handed in: how that is loaded is what the tests are about.
const pause = () => new Promise((done) => setTimeout(done, 5));
const storage = () => {
  throw new Error('gone');
};
const listening = (server) => process.send({ port: server.address().port });
const host = '127.0.0.1';

const order = () => pause().then(() => ({ id: 7 }));
const boom = () => pause().then(storage);

exports.express = (express, { Health }) => {
  const app = express();
  new Health(app).check('storage', storage);
  app.get('/orders/:id', (_req, res) => order().then((found) => res.json(found)));
  app.get('/boom', boom);
  const server = app.listen(0, host, () => listening(server));
};

exports.fastify = async (Fastify, { Health }) => {
  const app = Fastify();
  new Health(app).check('storage', storage);
  app.get('/orders/:id', order);
  app.get('/boom', boom);
  await app.listen({ port: 0, host });
  listening(app.server);
};

exports.nest = async ({ Controller, Get, Module }, { NestFactory }, { HealthMiddleware, HealthModule }) => {
  class Orders {
    order() {
      return order();
    }
    boom() {
      return boom();
    }
  }
  for (const [name, path] of Object.entries({ order: '/orders/:id', boom: '/boom' })) {
    Get(path)(Orders.prototype, name, Object.getOwnPropertyDescriptor(Orders.prototype, name));
  }
  Controller()(Orders);
  class Shop {
    configure(consumer) {
      consumer.apply(HealthMiddleware).forRoutes('{*path}');
    }
  }
  const health = HealthModule.forRoot({ BASE_DIR: __dirname, HEALTH_CHECKS: { storage } });
  Module({ imports: [health], controllers: [Orders] })(Shop);
  const app = await NestFactory.create(Shop, { logger: false });
  await app.listen(0, host);
  listening(app.getHttpServer());
};

exports.node = ({ createServer }, { Health }) => {
  const server = createServer(async (req, res) => {
    await pause();
    res.statusCode = req.url.startsWith('/orders/') ? 200 : 500;
    res.end('{}');
  });
  new Health(server).check('storage', storage);
  server.listen(0, host, () => listening(server));
};

exports.koa = (Koa, { Health }) => {
  const app = new Koa();
  new Health(app).check('storage', storage);
  app.use(async (context) => {
    await pause();
    if (context.path === '/boom') storage();
    if (context.path !== '/nowhere') context.body = {};
  });
  app.silent = true;
  const server = app.listen(0, host, () => listening(server));
};

/** Without lifesign in its code. */
exports.plain = (express) => {
  const app = express();
  app.get('/orders/:id', (_req, res) => order().then((found) => res.json(found)));
  app.get('/boom', boom);
  const server = app.listen(0, host, () => listening(server));
};
