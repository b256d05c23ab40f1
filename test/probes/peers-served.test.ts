import dns from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, expect, it, vi } from 'vitest';
import { Health } from 'lifesign/node';
import { until } from '../core/waiting.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of ends.splice(0).toReversed()) await end();
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A Redis that closes the connections of the users in `lost`; of `new` users only those that they make from then on. */
async function startRedis(lost: ReadonlySet<string>): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    let user = '';
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      const text = String(data);
      const login = /auth\r\n\$\d+\r\n(\S+)/i.exec(text)?.[1];
      user = login ?? user;
      if (lost.has(user) || lost.has(`new ${login}`)) {
        socket.destroy();
        return;
      }
      for (const [, name] of text.matchAll(/\*\d+\r\n\$\d+\r\n(\S+)/g))
        socket.write(/ping/i.test(name ?? '') ? '+PONG\r\n' : '+OK\r\n');
    });
  });
  const port = await listening(server);
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return port;
}

/** Something at an address: how often it was asked as a peer, and for what. */
async function startServer(listener: RequestListener = (_request, response) => response.end()) {
  const asked: string[] = [];
  const server = createServer(listener);
  server.on('request', ({ url = '' }) => void (url.startsWith('/__peer__') && asked.push(url)));
  const port = await listening(server);
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, asked, address: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
}

interface Setting {
  readonly user: string;
  readonly port: number;
  readonly peers: readonly string[];
  readonly db?: number;
  readonly source?: string;
  readonly details?: boolean;
}

type Instance = Awaited<ReturnType<typeof startInstance>>;

/** An instance of a service on an address. */
async function startInstance(
  { server, asked, address, url }: Awaited<ReturnType<typeof startServer>>,
  setting: Setting,
) {
  const { user, port, peers, db = 0, source = 'https://git.example/shop', details = true } = setting;
  const redis = new Redis({
    host: '127.0.0.1',
    port,
    db,
    username: user,
    password: `secret-of-${user}`,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => 50,
  });
  redis.on('error', () => {});
  const health = new Health(server, {
    redis,
    logger: { log: ({ fields }) => void (fields['path'] === '/__peer__' && asked.push('')) },
    details,
    timeout: 500,
    probes: { peers: [...peers], probeEvery: 100, secondOpinionEvery: 200 },
  });
  health.versionCallback(() => ({ source }));
  ends.push(() => {
    health.close();
    redis.disconnect();
  });
  const get = async (path: string) => {
    const response = await fetch(`${url}${path}`, { headers: { connection: 'close' } });
    return { status: response.status, text: await response.text() };
  };
  await until(
    async () =>
      (await get('/readyz?verbose')).text.includes('[+]check_redis_connected ok') ||
      (!details && (await get('/readyz')).status === 200),
  );
  return { health, asked, address, get };
}

const verbose = '/readyz?verbose';
const check = 'check_redis_connected';

/** Two instances of a service; the first one loses Redis when `lost` has it. */
async function startTwo(setting: Partial<Setting> = {}, second: Partial<Setting> = {}) {
  const lost = new Set<string>();
  const port = await startRedis(lost);
  const [one, two] = [await startServer(), await startServer()];
  const peers = [one.address, two.address];
  const first = await startInstance(one, { user: 'first', port, peers, ...setting });
  const other = await startInstance(two, { user: 'second', port, peers, ...setting, ...second });
  return { lost, port, first, other };
}

const isOut = async ({ get }: Instance) => (await get('/readyz')).status === 503;
const isIn = async ({ get }: Instance) => (await get('/readyz')).status === 200;

it('an instance that alone lost a dependency leaves and comes back; one that all lost takes nobody out', async () => {
  const lost = new Set<string>();
  const port = await startRedis(lost);
  const servers = [await startServer(), await startServer(), await startServer()] as const;
  const peers = servers.map(({ address }) => address);
  const start = (index: 0 | 1 | 2) => startInstance(servers[index], { user: `user-${index}`, port, peers });
  const [first, second, third] = [await start(0), await start(1), await start(2)];
  lost.add('user-1');
  await until(() => isOut(second));
  expect((await second.get(verbose)).text).toContain('instance: 2 of 2 peers reach it');
  expect([await isIn(first), await isIn(third)]).toEqual([true, true]);
  lost.clear();
  await until(() => isIn(second));
  for (const index of [0, 1, 2]) lost.add(`user-${index}`);
  for (const each of [first, second, third]) {
    await until(async () => (await each.get(verbose)).text.includes('no peer of 2 is known to reach it'));
    expect(await isIn(each)).toBe(true);
  }
}, 60_000);

it('a peer whose connections work while it can make no new one reaches nothing', async () => {
  const { lost, first, other } = await startTwo();
  lost.add('new second');
  lost.add('first');
  await until(async () => (await first.get(verbose)).text.includes('no peer of 1 is known to reach it'));
  expect(await isIn(first)).toBe(true);
  expect((await other.get(verbose)).text).toContain(`[+]${check} ok`);
  lost.delete('new second');
  await until(async () => (await isIn(other)) && (await isOut(first)));
}, 60_000);

/** An instance asks, believes nobody and stays: two opinions would take it out. */
async function expectStay({ get }: Instance, asked: readonly unknown[], meanwhile = async () => {}) {
  const statuses = new Set<number>();
  await until(async () => {
    await meanwhile();
    statuses.add((await get('/readyz')).status);
    return statuses.has(503) || asked.length >= 3;
  });
  await until(async () => {
    const { status, text } = await get(verbose);
    statuses.add(status);
    return statuses.has(503) || text.includes('shared: ');
  });
  expect([...statuses]).toEqual([200]);
  expect((await get(verbose)).text).toContain('shared: a fresh connection fails too');
}

const pass = { state: 'pass', age: 0 };
/** What may be at the address of a peer that is none. */
const strangers: Readonly<Record<string, (asked: URLSearchParams) => object>> = {
  'always says pass': () => ({ id: 'x', ...pass }),
  'repeats the key of the question': (asked) => ({ id: 'x', ...pass, key: asked.get('key') }),
  'says out': () => ({ id: 'x', state: 'out', age: 0 }),
};

it.each(Object.entries(strangers))(
  'nobody believes what %s',
  async (_name, answer) => {
    const stranger = await startServer((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://peer');
      response.end(JSON.stringify(answer(searchParams)));
    });
    const lost = new Set<string>();
    const setting = { user: 'first', port: await startRedis(lost), peers: [stranger.address] };
    const first = await startInstance(await startServer(), setting);
    lost.add('first');
    await expectStay(first, stranger.asked);
  },
  60_000,
);

it.each([
  ['another service', { source: 'https://git.example/pay' }],
  ['the same service with another database', { db: 1 }],
])(
  'nobody believes %s',
  async (_name, setting) => {
    const { lost, first, other } = await startTwo({}, setting);
    lost.add('first');
    // The checks of the other run when it is probed: its state is current.
    await expectStay(first, other.asked, async () => expect(await isIn(other)).toBe(true));
  },
  60_000,
);

it('peers that hang, flood, or are not there answer nothing, in time', async () => {
  const hang = await startServer(() => {});
  const flood = await startServer((_request, response) => void response.write('x'.repeat(100_000)));
  const { lost, port, other } = await startTwo();
  const peers = [hang.address, flood.address, 'no-such-host.invalid:1', other.address];
  const first = await startInstance(await startServer(), { user: 'third', port, peers });
  lost.add('third');
  await until(async () => (await isIn(other)) && (await isOut(first)));
  expect((await first.get(verbose)).text).toContain('instance: 1 of 1 peers reach it');
}, 60_000);

it('addresses that were found are asked while DNS fails, for five minutes', async () => {
  const { lookup } = dns;
  const { now } = performance;
  let [hasDns, later] = [true, 0];
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + later);
  const found = ((name: string, options: object, done: (error: Error | null, found?: unknown) => void) => {
    if (name !== 'shop.test') return lookup(name, options, done as never);
    if (!hasDns) return done(new Error('getaddrinfo ENOTFOUND shop.test'));
    done(null, [{ address: '127.0.0.1', family: 4 }]);
  }) as typeof lookup;
  vi.spyOn(dns, 'lookup').mockImplementation(found);
  const [one, two] = [await startServer(), await startServer()];
  const lost = new Set<string>();
  const port = await startRedis(lost);
  const other = await startInstance(two, { user: 'second', port, peers: [one.address] });
  const peers = [two.address.replace('127.0.0.1', 'shop.test')];
  const first = await startInstance(one, { user: 'first', port, peers });
  hasDns = false;
  later = 290_000;
  lost.add('first');
  await until(async () => (await isIn(other)) && (await isOut(first)));
  lost.clear();
  await until(() => isIn(first));
  later = 310_000;
  const before = other.asked.length;
  lost.add('first');
  await until(async () => (await first.get(verbose)).text.includes('shared: a fresh connection fails too'));
  expect([await isIn(first), other.asked.length]).toEqual([true, before]);
}, 60_000);

it('who may not see the details learns nothing, except from a peer', async () => {
  const { lost, first, other } = await startTwo({ details: false });
  expect((await other.get(`/__peer__?check=${check}`)).text).toBe('{"state":"unknown"}');
  lost.add('first');
  await until(async () => (await isIn(other)) && (await isOut(first)));
}, 60_000);

it('the answer has no more than an id, a state, its age and a key, however long the name that is asked for', async () => {
  const { other } = await startTwo();
  const { text } = await other.get(`/__peer__?check=${check}`);
  expect(JSON.parse(text)).toEqual({
    id: expect.any(String),
    state: 'pass',
    age: expect.any(Number),
    key: expect.stringMatching(/^[\w-]{43}$/),
  });
  const long = (await other.get(`/__peer__?check=${'x'.repeat(8000)}`)).text;
  expect(JSON.parse(long)).toEqual({ id: expect.any(String), state: 'unknown', age: 0 });
});
