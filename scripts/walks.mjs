// How many source files, and calls of their functions, a request passes through once the process is warm: counted by V8.
//   npm run walks                    every walk with its files
//   npm run walks -- heartbeat       those whose name has this in it
import { Session } from 'node:inspector/promises';
import { request } from 'node:http';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = join(import.meta.dirname, '..');
const [only = ''] = process.argv.slice(2);

/** Each starts a service with a check and a route, and returns its port. */
const hosts = {
  async express(options) {
    const { default: express } = await import('express');
    const { Health } = await import('../src/frameworks/express.ts');
    const app = express();
    new Health(app, options).check('storage', async () => []);
    app.get('/orders/:id', (_req, res) => void res.json({ id: 1 }));
    return new Promise((resolve) => {
      const server = app.listen(0, '127.0.0.1', () => resolve(server.address().port));
    });
  },
  async fastify(options) {
    const { default: Fastify } = await import('fastify');
    const { Health } = await import('../src/frameworks/fastify/index.ts');
    const app = Fastify();
    new Health(app, options).check('storage', async () => []);
    app.get('/orders/:id', async () => ({ id: 1 }));
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server.address().port;
  },
};

const walks = {
  'heartbeat, Express': { host: 'express', options: {}, path: '/__heartbeat__' },
  'heartbeat, Fastify': { host: 'fastify', options: {}, path: '/__heartbeat__' },
  'request with its summary, Express': { host: 'express', options: {}, path: '/orders/7' },
  'request with its summary, Fastify': { host: 'fastify', options: {}, path: '/orders/7' },
  'load balancer, Express': { host: 'express', options: {}, path: '/__lbheartbeat__' },
  'version, Express': { host: 'express', options: {}, path: '/__version__' },
  'readyz, Express': { host: 'express', options: { probes: true }, path: '/readyz' },
  'metrics, Express': { host: 'express', options: { metrics: true }, path: '/__metrics__' },
  'page, Express': { host: 'express', options: { page: true }, path: '/__health__' },
};

// The lines of the default logger are part of the walk, but not of the output.
const print = process.stdout.write.bind(process.stdout);
process.stdout.write = (chunk, ...rest) => {
  const done = rest.find((each) => typeof each === 'function');
  if (done !== undefined) setImmediate(done);
  return true;
};

function ask(port, path) {
  return new Promise((resolve, reject) => {
    request({ port, path, agent: false }, (res) => res.resume().once('close', resolve))
      .once('error', reject)
      .end();
  });
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');

/** The files of src with the calls of their functions since it was asked before. */
async function taken() {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith('file:'))
    .map(({ url, functions }) => ({
      file: relative(root, fileURLToPath(url.split('?')[0])),
      calls: functions.reduce((sum, { ranges: [{ count }] }) => sum + count, 0),
    }))
    .filter(({ file, calls }) => file.startsWith('src/') && calls > 0)
    .toSorted((a, b) => a.file.localeCompare(b.file));
}

for (const [name, { host, options, path }] of Object.entries(walks)) {
  if (!name.includes(only)) continue;
  const port = await hosts[host](options);
  for (let n = 0; n < 3; n += 1) await ask(port, path);
  // What the first requests have loaded and started comes to an end.
  await pause(1500);
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await taken();
  await ask(port, path);
  // A summary may be written one turn later.
  await pause(60);
  const files = await taken();
  await session.post('Profiler.stopPreciseCoverage');
  const calls = files.reduce((sum, each) => sum + each.calls, 0);
  print(`${name}: ${files.length} files, ${calls} calls\n`);
  for (const each of files) print(`${String(each.calls).padStart(6)}  ${each.file}\n`);
}
process.exit();
