// A server of HTTP/2 that blocks in a request: node http2.mjs BUILT FILE. It is blocked until the file is there.
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:http2';
import { pathToFileURL } from 'node:url';

const [built, file] = process.argv.slice(2);
const { Health } = await import(pathToFileURL(`${built}/dist/frameworks/node.js`).href);
const server = createServer(function blockingRoute(_req, res) {
  while (!existsSync(file));
  res.end('done');
});
new Health(server, { watchdog: { port: 0, busyAfter: 300 } });
server.listen(0, '127.0.0.1', () => {
  const client = connect(`http://127.0.0.1:${server.address().port}`);
  client.request({ ':path': '/block?secret=1', ':method': 'POST', 'x-request-id': 'r-2' }).resume().end();
});
