import { access } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createTerminus } from '@godaddy/terminus';

const server = createServer((request, response) => {
  setTimeout(() => response.end('Hello, World!'), 200);
});

createTerminus(server, {
  healthChecks: { '/healthcheck': () => access('uploads') },
  beforeShutdown: () =>
    new Promise((resolve) => setTimeout(resolve, Number(process.env.DRAIN_DELAY ?? 5000))),
  onSignal: () => console.log('closing the pools'),
  useExit0: true,
});

server.listen(process.env.PORT ?? 3000);
