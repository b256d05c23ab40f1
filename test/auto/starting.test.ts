import { expect, it } from 'vitest';
import { until } from '../core/waiting.js';
import { directoryWith, start } from './start.js';

// As Next.js does it: it listens, and starts in its listener for `listening`.
const application = `
import { createServer } from 'node:http';
process.title = 'next-server (v16.4.6)';
let go;
const server = createServer((req, res) => {
  if (req.url === '/go') go();
  res.end('ok');
});
server.on('listening', async () => {
  await new Promise((resolve) => (go = resolve));
});
server.listen(process.env.PORT);
`;

it('a framework that listens before it has started is not ready until then', async () => {
  const cwd = directoryWith({ 'app.mjs': application });
  const { origin } = await start(['app.mjs'], { cwd, env: { HEALTH_PROBES: 'true' } });
  const status = async (path: string) => (await fetch(`${origin}${path}`)).status;
  expect(await status('/readyz')).toBe(503);
  expect(await status('/startupz')).toBe(503);
  expect(await status('/livez')).toBe(200);
  await status('/go');
  await until(async () => (await status('/readyz')) === 200);
  expect(await status('/startupz')).toBe(200);
});
