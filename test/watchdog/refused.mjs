// A Health that is refused after its watchdog has started: node refused.mjs BUILT. Tells what is left of each.
import { writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const [built] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${built}/dist/${file}`).href);
const watchdog = { port: 0 };
const entries = {
  node: ['frameworks/node.js', (Health) => new Health({ listen: 'not a function' }, { watchdog })],
  express: ['frameworks/express.js', (Health) => new Health(() => {}, { watchdog })],
  koa: ['frameworks/koa.js', (Health) => new Health(() => {}, { watchdog })],
  fastify: ['frameworks/fastify/index.js', (Health) => new Health(() => {}, { watchdog })],
  hono: ['frameworks/hono.js', (Health) => new Health(undefined, { watchdog, healthPort: 9000 })],
  fetch: ['frameworks/fetch.js', (Health) => new Health(undefined, { watchdog, healthPort: 9000 })],
};
const server = createServer();
const told = {};
for (const [name, [file, make]] of Object.entries(entries)) {
  const { Health } = await load(file);
  let refused;
  try {
    make(Health);
  } catch ({ code }) {
    refused = code;
  }
  told[name] = { refused };
  // A second watchdog beside one that runs would be refused.
  const errors = [];
  const next = new Health(undefined, { watchdog, logger: { log: ({ fields }) => errors.push(fields.code) } });
  told[name].next = errors.filter((code) => code !== undefined);
  next.close();
}
// Installed twice.
const { Health } = await load('frameworks/node.js');
const first = new Health(server, { logger: false });
try {
  new Health(server, { watchdog });
} catch ({ code }) {
  told.twice = { refused: code };
}
first.close();
writeSync(2, `TOLD ${JSON.stringify(told)}\n`);
