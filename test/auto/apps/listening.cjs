// Applications that know nothing of lifesign, on each framework: node application.mjs NAME. What they stand on is handed in.
const { once } = require('node:events');

const hello = { hello: 'world' };
const notFound = { application: 'not found' };
const port = Number(process.env.LISTEN ?? process.env.PORT ?? 0);
const host = process.env.LISTEN_HOST;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const pieces = async function* () {
  yield 'the start ';
  await pause(100);
  yield 'the end';
};

async function plain(req, res) {
  const [pathname] = req.url.split('?');
  const answer = (status, body) => {
    res.writeHead(status, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify(body));
  };
  if (req.method === 'GET' && pathname === '/') return answer(200, hello);
  if (req.method === 'POST' && pathname === '/echo') {
    await once(req.resume(), 'end');
    return answer(201, { posted: true });
  }
  if (req.method === 'POST' && pathname === '/work') {
    await once(req.resume(), 'end');
    await pause(5);
    return answer(200, {});
  }
  if (pathname === '/stream') {
    for await (const piece of pieces()) res.write(piece);
    return res.end();
  }
  if (pathname === '/hang') return undefined;
  return answer(404, notFound);
}

exports.node = ({ createServer }) => createServer(plain).listen(port, host);
exports.https = ({ createServer }) =>
  createServer({ key: process.env.KEY, cert: process.env.CERT }, plain).listen(port, host);
exports.http2 = ({ createServer }) => createServer(plain).listen(port, host);
exports.http2s = ({ createSecureServer }) =>
  createSecureServer({ key: process.env.KEY, cert: process.env.CERT, allowHTTP1: true }, plain).listen(
    port,
    host,
  );
exports.grpcLike = ({ createServer }) => {
  const server = createServer();
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200 });
    stream.end('a stream');
  });
  return server.listen(port, host);
};

exports.express = (express) => {
  const app = express();
  app.get('/', (_req, res) => res.json(hello));
  app.post('/echo', (_req, res) => res.status(201).json({ posted: true }));
  app.use((_req, res) => res.status(404).json(notFound));
  return app.listen(port, host);
};

exports.fastify = async (Fastify) => {
  const app = Fastify();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.get('/', () => hello);
  app.post('/echo', (_request, reply) => reply.status(201).send({ posted: true }));
  app.setNotFoundHandler((_request, reply) => reply.status(404).send(notFound));
  await app.listen({ port, host: host ?? '0.0.0.0' });
};

exports.koa = (Koa) => {
  const app = new Koa();
  app.use((context) => {
    const asked = `${context.method} ${context.path}`;
    context.status = { 'GET /': 200, 'POST /echo': 201 }[asked] ?? 404;
    context.body = { 'GET /': hello, 'POST /echo': { posted: true } }[asked] ?? notFound;
  });
  return app.listen(port, host);
};

exports.nest = async ({ Catch, Controller, Get, Module, NotFoundException, Post }, { NestFactory }) => {
  class Shop {
    hello() {
      return hello;
    }
    echo() {
      return { posted: true };
    }
  }
  Get('/')(Shop.prototype, 'hello', Object.getOwnPropertyDescriptor(Shop.prototype, 'hello'));
  Post('/echo')(Shop.prototype, 'echo', Object.getOwnPropertyDescriptor(Shop.prototype, 'echo'));
  Controller()(Shop);
  class Filter {
    catch(_error, context) {
      context.switchToHttp().getResponse().status(404).json(notFound);
    }
  }
  Catch(NotFoundException)(Filter);
  class App {}
  Module({ controllers: [Shop] })(App);
  const app = await NestFactory.create(App, { logger: false });
  app.useGlobalFilters(new Filter());
  await app.listen(port);
};

exports.ws = ({ WebSocketServer }, { createServer }) => {
  const server = createServer(plain);
  new WebSocketServer({ server }).on('connection', (socket) => {
    socket.on('message', (message) => socket.send(String(message)));
  });
  return server.listen(port, host);
};

exports.socketio = ({ Server }, { createServer }) => {
  const server = createServer(plain);
  new Server(server).on('connection', (socket) => socket.on('say', (text, heard) => heard(text)));
  return server.listen(port, host);
};
