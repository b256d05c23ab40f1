// A service with little traffic that computes now and then: it answers, and is busy when the time of its idle connection is up.
import { createServer } from 'node:http';
import { lifesign } from './lifesign.mjs';

const [setUp] = process.argv.slice(2);
const server = createServer((req, res) => {
  res.end('{"status":"ok"}');
  if (req.url !== '/orders') return;
  // As in a callback of I/O: timers that are due run before Node reads what has arrived.
  setTimeout(() => setImmediate(compute), 800);
});
function compute() {
  for (const until = Date.now() + 600; Date.now() < until;);
}
// Five seconds by default; Node waits for another second before it closes a connection.
server.keepAliveTimeout = 1;
if (setUp.startsWith('lifesign')) {
  const { Health } = await lifesign('frameworks/node');
  new Health(server, setUp === 'lifesign' ? {} : { keepAlive: '65s' });
}
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send('listening'));
process.on('disconnect', () => process.exit(1));
