// Assets with a hash in their name for a year, everything else revalidated each time; a missing asset is not cached.
import { createServer } from 'node:http';
import { Health, listenOptions } from 'lifesign/node';
import sirv from 'sirv';

const assets = sirv('public/assets', { immutable: true, maxAge: 31536000 });
const pages = sirv('public', { setHeaders: (res) => res.setHeader('Cache-Control', 'no-cache') });

const server = createServer((req, res) => {
  const missing = () => res.writeHead(404).end();
  if (!req.url.startsWith('/assets/')) return pages(req, res, missing);
  req.url = req.url.slice('/assets'.length);
  assets(req, res, missing);
});
new Health(server);

server.listen(listenOptions());
