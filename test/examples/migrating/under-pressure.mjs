import { access } from 'node:fs/promises';
import underPressure from '@fastify/under-pressure';
import Fastify from 'fastify';

const app = Fastify();

await app.register(underPressure, {
  maxEventLoopDelay: 1000,
  maxEventLoopUtilization: 0.98,
  maxRssBytes: 1_000_000_000,
  exposeStatusRoute: '/status',
  healthCheck: async () => {
    await access('uploads');
    return true;
  },
  healthCheckInterval: 500,
});

app.get('/', async () => {
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { hello: 'world' };
});

await app.listen({ port: Number(process.env.PORT ?? 3000), host: '0.0.0.0' });
