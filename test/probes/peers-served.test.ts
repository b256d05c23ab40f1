import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Error as ErrorMessage } from 'lifesign/checks';
import { realClock } from '../../src/core/clock.js';
import { type Opinion, withScope } from '../../src/core/heartbeat/scope.js';
import { Health } from 'lifesign/node';
import { PeerClient } from '../../src/probes/peer-client.js';
import { realTransport } from '../../src/probes/peer-transport.js';
import { pause } from '../core/waiting.js';

const unreached: Opinion = { scope: 'shared', evidence: 'a fresh connection fails too', unreached: true };

/** An instance whose check of a dependency passes while `passes` says so; `reaches` tries a fresh connection. */
async function instance(
  passes: () => boolean,
  peers: () => readonly string[],
  reaches?: () => Promise<boolean>,
) {
  const server = createServer((_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = () => {
    const health = new Health(server, {
      logger: false,
      details: false,
      probes: { peers: [...peers()], probeEvery: 100, secondOpinionEvery: 200 },
    });
    const bad = new ErrorMessage('no', { id: 'a.E1', fault: 'unreachable' });
    const check = withScope(() => (passes() ? [] : bad), 'auto', {
      dependency: {},
      proves: true,
      ask: async () => unreached,
      ...(reaches && { reaches }),
    });
    health.check('db', check);
    return health;
  };
  const ready = async () =>
    (await fetch(`http://${address}/readyz`, { headers: { connection: 'close' } })).status;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { address, open, ready, close };
}

it('an instance that alone lost a dependency leaves and comes back; one that all lost takes nobody out', async () => {
  const lost = new Set<number>();
  const all: Awaited<ReturnType<typeof instance>>[] = [];
  for (const index of [0, 1, 2]) {
    all.push(
      await instance(
        () => !lost.has(index),
        () => all.map(({ address }) => address),
      ),
    );
  }
  const healths = all.map(({ open }) => open());
  const codes = () => Promise.all(all.map(({ ready }) => ready()));
  try {
    await expect.poll(codes).toEqual([200, 200, 200]);
    lost.add(1);
    await expect.poll(codes, { timeout: 30_000, interval: 100 }).toEqual([200, 503, 200]);
    const asked = await fetch(`http://${all[0]?.address}/__peer__?check=db`);
    expect(Object.keys((await asked.json()) as object)).toEqual(['id', 'check', 'state', 'age']);
    expect(await (await fetch(`http://${all[0]?.address}/__peer__?check=x`)).text()).toContain('"unknown"');
    lost.clear();
    await expect.poll(codes, { timeout: 30_000, interval: 100 }).toEqual([200, 200, 200]);
    for (const index of [0, 1, 2]) lost.add(index);
    for (let turn = 0; turn < 30; turn += 1) {
      await pause(100);
      expect(await codes()).toEqual([200, 200, 200]);
    }
  } finally {
    for (const health of healths) health.close();
    for (const { close } of all) close();
  }
}, 90_000);

it('a peer whose pool works while no new connection can be made reaches nothing, and tries at most twice a second', async () => {
  let lost = false;
  let accepts = false;
  const tries: number[] = [];
  const all: Awaited<ReturnType<typeof instance>>[] = [];
  const addresses = () => all.map(({ address }) => address);
  const reaches = async () => {
    tries.push(performance.now());
    return accepts;
  };
  all.push(await instance(() => !lost, addresses), await instance(() => true, addresses, reaches));
  const [here, peer] = all as [(typeof all)[0], (typeof all)[0]];
  const healths = all.map(({ open }) => open());
  try {
    await expect.poll(() => Promise.all(all.map(({ ready }) => ready()))).toEqual([200, 200]);
    lost = true;
    for (const end = performance.now() + 4000; performance.now() < end || tries.length === 0;) {
      expect(await here.ready()).toBe(200);
      await peer.ready();
      await Promise.all([1, 2, 3].map(() => fetch(`http://${peer.address}/__peer__?check=db`)));
      await pause(50);
    }
    const gaps = tries.slice(1).map((time, index) => time - (tries[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(450);
    accepts = true;
    const codes = async () => [await here.ready(), await peer.ready()];
    await expect.poll(codes, { timeout: 30_000, interval: 100 }).toEqual([503, 200]);
  } finally {
    for (const health of healths) health.close();
    for (const { close } of all) close();
  }
}, 60_000);

it('peers that hang, flood, or are not there answer nothing, in time', async () => {
  const server = createServer((request, response) => {
    if (request.url?.includes('flood') === true) response.write('x'.repeat(100_000));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const addresses = [`127.0.0.1:${port}`, '127.0.0.1:1', 'no-such-host.invalid:1'];
  const client = new PeerClient(addresses, realClock, realTransport);
  expect(await client.query('hang', performance.now(), true)).toEqual([]);
  expect(await client.query('flood', performance.now(), true)).toEqual([]);
  server.closeAllConnections();
  server.close();
});
