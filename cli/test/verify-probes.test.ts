import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { checks, Health } from 'lifesign/node';
import { named, verifying } from './verifying.js';

const ends: (() => unknown)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

/** A service with probes, of which `spoil` may take some paths for itself. */
async function serve(spoil?: RequestListener) {
  const server = createServer((_req, res) => res.writeHead(404).end('{"application":"not found"}'));
  const health = new Health(server, { probes: true, logger: false });
  const emit = server.emit.bind(server);
  if (spoil !== undefined) {
    server.emit = (event: string, ...args: never[]) => {
      if (event !== 'request') return emit(event, ...args);
      const [req, res] = args as unknown as Parameters<RequestListener>;
      spoil(req, res);
      return res.headersSent || emit(event, ...args);
    };
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { health, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const verify = (url: string, ...args: string[]) => verifying([url, ...args]);

test('probes that pass or fail keep every rule; without --probes they are not asked', async () => {
  const { url, health } = await serve();
  for (const fails of [false, true]) {
    if (fails) health.check('own', () => [new checks.Error('bad', { id: 'a.E1' })]);
    const { failed, results } = await verify(url, '--probes');
    expect(failed).toEqual([]);
    expect(results.filter(({ name }) => /^(livez|readyz|startupz)\./.test(name)).length).toBe(3 * 25);
  }
  const { results } = await verify(url);
  expect(results.some(({ name }) => name.startsWith('livez'))).toBe(false);
});

const wrong: readonly (readonly [rule: string, status: number, body: string])[] = [
  ['livez.body', 200, '{"status":"ok"}'],
  ['readyz.body', 503, '{"status":"fail"}'],
  ['startupz.body', 200, '{"status":"pass","uptime":5}'],
  ['readyz.status', 500, '{"status":"fail","reason":"x"}'],
];

test.each([[wrong.slice(0, 3)], [wrong.slice(3)]])('finds %j', async (mistakes) => {
  const { url } = await serve((req, res) => {
    const headers = {
      'Content-Type': 'application/json',
      Vary: 'Accept-Encoding',
      'Cache-Control': 'no-store',
    };
    const path = req.url?.replace(/[?/]?(lifesign=1)?$/, '');
    const mistake = mistakes.find(([rule]) => path === `/${rule.split('.')[0]}`);
    if (req.method === 'GET' && mistake !== undefined) res.writeHead(mistake[1], headers).end(mistake[2]);
  });
  const { code, failed } = await verify(url, '--probes');
  expect(named(failed)).toEqual(expect.arrayContaining(mistakes.map(([rule]) => rule)));
  expect(code).toBe(1);
});
