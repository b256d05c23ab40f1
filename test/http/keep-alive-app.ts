// A service that prints its log. Ends when its parent does.
import { createServer } from 'node:http';
import { Health } from 'lifesign/node';

for (const timeout of (process.argv[2] ?? '').split(',')) {
  const server = createServer();
  const health = new Health(server, { logger: { log: ({ level, msg }) => process.send?.({ level, msg }) } });
  server.keepAliveTimeout = Number(timeout);
  server.listen(0, '127.0.0.1', () => setTimeout(() => process.send?.('waited'), 1500));
  process.once('disconnect', () => {
    health.close();
    server.close();
  });
}
