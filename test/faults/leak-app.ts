// Runs 20,000 heartbeats, or 100,000 in `npm run test:attack`, in a process of its own and prints, as JSON, what is there after the first of them and at the end.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Warning } from 'lifesign/checks';
import { Health } from 'lifesign/node';
import { flood } from './flood.js';

process.setSourceMapsEnabled(false);

const whole = process.env['WHOLE'] !== undefined;

const server = createServer((_req, res) => res.end());
const health = new Health(server, {
  timeout: 5,
  logger: { log: () => {} },
});
let calls = 0;
health.check('fine', () => []);
health.check('async', async () => [new Warning('slow', { id: 'leak.W001' })]);
health.check('throws', () => {
  throw new Error('down');
});
// Listens for the abort as a client does, and hangs now and then, until it is aborted.
health.check('aborted', ({ signal }) => {
  calls += 1;
  return new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (calls % 1000 !== 0) resolve();
  });
});
health.check('cached', async () => [], { cacheFor: 20 });
health.on('heartbeatFailed', () => {});

async function look() {
  // Timers that are due and sockets that are closing get their turn.
  await new Promise((resolve) => setTimeout(resolve, 200));
  globalThis.gc?.();
  globalThis.gc?.();
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  const listeners = process.eventNames().map((name) => process.listenerCount(name));
  return {
    heapUsed: process.memoryUsage().heapUsed,
    counts,
    listeners: listeners.reduce((a, b) => a + b, 0),
  };
}

async function beats(count: number): Promise<void> {
  const width = 20;
  for (let beat = 0; beat < count; beat += width) {
    await Promise.all(Array.from({ length: width }, () => health.heartbeat()));
  }
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
await flood(port, '/__heartbeat__', { total: 2000, connections: 10 });
await beats(whole ? 8000 : 3000);
const early = await look();
await flood(port, '/__heartbeat__', { total: whole ? 8000 : 5000, connections: 10 });
// Clients that leave before the answer.
for (let client = 0; client < 200; client += 1) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET /__heartbeat__ HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.destroy();
}
await beats(whole ? 82_000 : 10_000);
const late = await look();
console.log(JSON.stringify({ early, late }));
// No process.exit: that the process ends is part of the test.
health.close();
server.close();
