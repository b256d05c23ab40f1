// A busy service: it answers, and computes soon after. Prints its port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Health } from 'lifesign/node';
import { block } from '../core/waiting.js';

const server = createServer((_req, res) => {
  res.end('ok');
  // As in a callback of I/O: timers that are due run before Node reads what has arrived.
  setTimeout(() => setImmediate(block, 600), 800);
});
// Node waits for another second before it closes a connection.
server.keepAliveTimeout = 1;
const health = new Health(server, { logger: { log() {} } });
process.on('disconnect', () => {
  health.close();
  server.close();
  server.closeAllConnections();
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
