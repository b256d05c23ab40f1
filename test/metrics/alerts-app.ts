// A service that is restarted, blocked or not read, as the test of the alerts wants it: node --import tsx alerts-app.ts PORT [WATCHDOG_PORT]
import { createServer } from 'node:http';
import { Health } from 'lifesign/node';
import { stdoutLogger } from 'lifesign/logging';
import { block } from '../core/waiting.js';

const [port = '', watchdog] = process.argv.slice(2);
const logger = stdoutLogger({ loggerName: 'shop' });
const routes: Readonly<Record<string, () => void>> = {
  '/block': () => void setTimeout(block, 10, 1500),
  // More than the log keeps for a reader that is too slow.
  '/flood': () => {
    for (let line = 0; line < 20; line += 1) {
      logger.log({ logger: 'shop', level: 20, time: Date.now(), fields: {}, msg: 'x'.repeat(1_000_000) });
    }
  },
};
const server = createServer((req, res) => {
  routes[req.url ?? '']?.();
  res.end();
});
new Health(server, {
  metrics: { refresh: 400 },
  summary: false,
  logger,
  ...(watchdog !== undefined && { watchdog: { port: Number(watchdog), busyAfter: 300 } }),
});
server.listen(Number(port), '127.0.0.1');
