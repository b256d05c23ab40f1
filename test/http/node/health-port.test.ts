import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { HealthOptions } from 'lifesign';
import { Health as HonoHealth } from 'lifesign/hono';
import { Health as NodeHealth } from 'lifesign/node';
import { freePort } from '../../services/port.js';
import { applications, type Make } from '../applications.js';
import { collect, listening, until } from '../serving.js';

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const { Hono: _, ...frameworks } = applications;

describe.each<[string, Make]>(Object.entries(frameworks))('the health port of %s', (name, make) => {
  async function run(more: Pick<HealthOptions, 'healthPort' | 'healthPortOnly'> = {}) {
    const { logger, records, summaries } = collect();
    const { health, listen } = await make({ healthPort: 0, page: true, logger, ...more });
    const pub = originOf(await listen());
    const told = () =>
      records.map(({ msg }) => /health endpoints on 0\.0\.0\.0:(\d+)$/.exec(msg ?? '')?.[1]).find(Boolean);
    await until(() => told() !== undefined);
    return { own: `http://127.0.0.1:${told()}`, pub, summaries, health };
  }
  const statuses = async (base: string, paths: readonly string[]) =>
    Promise.all(paths.map(async (path) => (await fetch(base + path)).status));
  const paths = [
    '/__heartbeat__',
    '/__lbheartbeat__',
    '/__version__',
    '/__health__',
    '/x',
    '/__heartbeat__x',
  ];
  const app = /NestJS|AdonisJS/.test(name) ? 404 : 418;

  it('serves the endpoints and the page beside the application’s', async () => {
    const { own, pub } = await run();
    expect(await statuses(own, paths)).toEqual([200, 200, 404, 200, 404, 404]);
    expect(await statuses(pub, paths)).toEqual([200, 200, 404, 200, app, app]);
    expect(await (await fetch(`${own}/x`)).text()).toBe('{"error":"not found"}');
  });

  it('with healthPortOnly the application has its paths for itself', async () => {
    const { own, pub } = await run({ healthPortOnly: true });
    expect(await statuses(own, paths)).toEqual([200, 200, 404, 200, 404, 404]);
    expect(await statuses(pub, paths)).toEqual([app, app, app, app, app, app]);
  });

  it('logs a summary for each of its requests, and closes with the Health', async () => {
    const { own, summaries, health } = await run({ healthPort: await freePort() });
    await statuses(own, ['/__lbheartbeat__', '/x']);
    const paths = () => summaries().map(({ fields }) => fields['path']);
    await until(() => paths().length === 2);
    expect(paths().toSorted()).toEqual(['/__lbheartbeat__', '/x']);
    health.close();
    await expect(fetch(`${own}/__lbheartbeat__`)).rejects.toThrow();
  });

  it('a port that is taken is told in the log and breaks nothing', async () => {
    const taken = Number(new URL(await listening(createServer())).port);
    const { logger, records } = collect();
    const { listen } = await make({ healthPort: taken, logger });
    const origin = originOf(await listen());
    await until(() => records.some(({ msg }) => msg === `Cannot listen on the health port 0.0.0.0:${taken}`));
    expect((await fetch(`${origin}/__lbheartbeat__`)).status).toBe(200);
  });
});

it('Hono and fetch refuse it: they have no server', () => {
  expect(() => new HonoHealth(undefined, { healthPort: 9000 })).toThrow('Option healthPort is 9000');
});

it('is read from HEALTH_PORT and HEALTH_PORT_ONLY', () => {
  process.env['HEALTH_PORT'] = '9000';
  process.env['HEALTH_PORT_ONLY'] = 'true';
  try {
    const { options } = new NodeHealth();
    expect(options).toMatchObject({ healthPort: 9000, healthPortOnly: true });
  } finally {
    delete process.env['HEALTH_PORT'];
    delete process.env['HEALTH_PORT_ONLY'];
  }
});
