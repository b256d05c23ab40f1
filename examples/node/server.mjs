// A counter on node:http with lifesign. https and http2 servers work the same way.
import { createServer } from 'node:http';
import { checks, Health, listenOptions, noteError, requestId } from 'lifesign/node';

let count = 0;

const server = createServer((req, res) => {
  try {
    if (req.url === '/boom') throw new Error('the counter is stuck');
    count += 1;
    res.writeHead(200, { 'Content-Type': 'application/json' });
    res.end(JSON.stringify({ count, request: requestId() }));
  } catch (error) {
    noteError(req, error);
    res.writeHead(500).end();
  }
});

const health = new Health(server, { loggerName: 'counter' });
health.check('count', () =>
  count < 3 ? [] : [new checks.Warning('It is getting late', { id: 'counter.W001' })],
);
health.versionCallback(() => ({ version: '1.0.0' }));

server.listen(listenOptions());
