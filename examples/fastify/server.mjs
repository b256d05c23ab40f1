// A small stock service on Fastify with lifesign: asynchronous checks, the version from a callback, all logs in one format.
import Fastify from 'fastify';
import { checks, fastifyConfig, Health, listenOptions, logConfig, requestId } from 'lifesign/fastify';

// FASTIFY_BODY_LIMIT, FASTIFY_REQUEST_TIMEOUT… configure the server; log lines are JSON in the mozlog envelope.
const app = Fastify({ ...fastifyConfig(), logger: logConfig({ loggerName: 'stock' }) });
const health = new Health(app, { loggerName: 'stock' });

const warehouse = { reachable: true, items: new Map([['lamp', 3]]) };

health.check(async function warehouseReachable({ signal }) {
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (signal.aborted || warehouse.reachable) return [];
  return [new checks.Error('The warehouse does not answer', { id: 'stock.health.E001' })];
});
health.check(function stocked() {
  return warehouse.items.size > 0
    ? []
    : [new checks.Warning('Nothing in stock', { id: 'stock.health.W001' })];
});
health.versionCallback(async () => ({ version: '2.0.0', region: health.config.acmeRegion ?? 'local' }));

app.get('/', async () => ({ items: Object.fromEntries(warehouse.items), request: requestId() }));

// A plugin with its own hook: probes are answered before it runs.
app.register(
  async (admin) => {
    admin.addHook('onRequest', async (request, reply) => {
      if (request.headers.authorization !== 'Bearer letmein')
        await reply.code(401).send({ error: 'no entry' });
    });
    admin.post('/warehouse', async () => {
      warehouse.reachable = !warehouse.reachable;
      return { reachable: warehouse.reachable };
    });
  },
  { prefix: '/admin' },
);
app.get('/boom', async () => {
  throw new Error('the shelf fell over');
});

await app.listen(listenOptions());
