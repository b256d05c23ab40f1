// Two workers of a cluster, each with a watchdog: node cluster.mjs BUILT PORT
import cluster from 'node:cluster';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const [built, port] = process.argv.slice(2);
if (cluster.isPrimary) {
  cluster.fork();
  cluster.fork();
} else {
  const load = (file) => import(pathToFileURL(`${built}/dist/${file}`).href);
  const { Health } = await load('frameworks/node.js');
  const server = createServer((_req, res) => res.end('done'));
  new Health(server, { watchdog: { port: Number(port) } });
  server.listen(0, '127.0.0.1');
}
