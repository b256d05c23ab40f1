import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import fc from 'fast-check';
import { MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checks } from 'lifesign';
import { deferred, until } from '../core/waiting.js';
import { freePort } from '../services/port.js';
import { mongoServer } from './mongo-server.js';
import { say } from './say.js';

async function listening(server: ReturnType<typeof createTcpServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}

describe('http', () => {
  it('takes an answer from 200 to 399, or what it is told to take', async () => {
    const port = await listening(
      createServer((req, res) => {
        res.writeHead(Number(req.url?.slice(1, 4))).end('some body');
      }),
    );
    const at = (status: number) => `http://127.0.0.1:${port}/${status}?token=s3cret`;
    expect(await say(checks.http(at(200)))).toEqual([]);
    expect(await say(checks.http(at(302)))).toEqual([]);
    expect(await say(checks.http(at(503)))).toEqual([
      `Error health.E015: Request to 127.0.0.1:${port} failed: status 503`,
    ]);
    expect(await say(checks.http(at(404), { accepts: (status) => status === 404 }))).toEqual([]);
    expect(await say(checks.http(new URL(at(200)), { method: 'HEAD' }))).toEqual([]);
  });

  it('sends the user and password of a URL as a header, whatever they are, and never shows them', async () => {
    const seen: (string | undefined)[] = [];
    const port = await listening(
      createServer((req, res) => {
        seen.push(req.headers.authorization);
        res.writeHead(503).end();
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.stringMatching(/^[\w é%@/ü]{1,9}$/),
        fc.string({ unit: 'grapheme' }),
        async (user, password) => {
          const url = new URL(`http://127.0.0.1:${port}/`);
          url.username = encodeURIComponent(user);
          url.password = encodeURIComponent(password);
          const said = await say(checks.http(url));
          expect(seen.at(-1)).toBe(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
          expect(said).toEqual([`Error health.E015: Request to 127.0.0.1:${port} failed: status 503`]);
        },
      ),
      { numRuns: 25 },
    );
    await say(checks.http(`http://u:p@127.0.0.1:${port}/`, { headers: { Authorization: 'Bearer mine' } }));
    expect(seen.at(-1)).toBe('Bearer mine');
    await say(checks.http(`http://100%:p@127.0.0.1:${port}/`));
    expect(seen.at(-1)).toBe(`Basic ${Buffer.from('100%:p').toString('base64')}`);
  });

  it('warns and fails by the time the answer takes', async () => {
    const port = await listening(createServer((_req, res) => setTimeout(() => res.end(), 60)));
    const url = `http://127.0.0.1:${port}/`;
    expect(await say(checks.http(url, { warn: 50 }))).toEqual([
      expect.stringMatching(/^Warning health.E015: .*above 50 ms$/),
    ]);
    expect(await say(checks.http(url, { warn: 10, error: 20 }))).toEqual([
      expect.stringMatching(/^Error health.E015: .*above 20 ms$/),
    ]);
    expect(await say(checks.http(url, { warn: 60_000 }))).toEqual([]);
  });

  it('says why there is no answer, without the path or the credentials of the URL', async () => {
    const port = await freePort();
    const said = await say(checks.http(`http://127.0.0.1:${port}/private?token=s3cret`));
    expect(said).toEqual([
      `Error health.E015: Request to 127.0.0.1:${port} failed: connection refused (ECONNREFUSED 127.0.0.1:${port})`,
    ]);
  });

  it('ends with its time', async () => {
    const ended = deferred();
    const port = await listening(createServer((req) => void req.once('close', ended.resolve)));
    expect(await say(checks.http(`http://127.0.0.1:${port}/`), 50)).toEqual([
      'Error health.E012: Check tested did not answer within 50 ms',
    ]);
    await ended.promise;
  });

  it('refuses what is no URL of HTTP', () => {
    expect(() => checks.http('ftp://host')).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }),
    );
    expect(() => checks.http('nonsense')).toThrow('absolute http or https URL');
    expect(() => checks.http('http://host', { warn: 10, error: 5 })).toThrow('at most error');
    expect(() => checks.http('http://host', { warn: -1 })).toThrow('milliseconds above 0');
  });
});

describe('tcp', () => {
  it('is ok where something listens and says why where nothing does', async () => {
    const port = await listening(createTcpServer((socket) => socket.on('error', () => {})));
    expect(await say(checks.tcp('127.0.0.1', port))).toEqual([]);
    expect(await say(checks.tcp('127.0.0.1', port, { warn: 1e-9 }))).toEqual([
      expect.stringMatching(/^Warning health.E016: Connecting to 127.0.0.1/),
    ]);
    const closed = await freePort();
    expect(await say(checks.tcp('127.0.0.1', closed))).toEqual([
      `Error health.E016: Cannot connect to 127.0.0.1:${closed}: connection refused (ECONNREFUSED 127.0.0.1:${closed})`,
    ]);
  });

  it('refuses a port that is none', () => {
    expect(() => checks.tcp('host', 0)).toThrow('an integer from 1 to 65535');
    expect(() => checks.tcp('', 1)).toThrow('a host name');
  });
});

describe('disk', () => {
  it('judges the share that is used', async () => {
    expect(await say(checks.disk({ path: '/', warn: 1, error: 1 }))).toEqual([]);
    expect(await say(checks.disk({ path: '/', warn: 1e-9 }))).toEqual([
      expect.stringMatching(/^Warning health.E017: \/ is \d+ % full, above 0 %$/),
    ]);
    expect(await say(checks.disk({ path: '/', error: 1e-9 }))).toEqual([
      expect.stringMatching(/^Error health.E017/),
    ]);
  });

  it('fails where there is no such folder', async () => {
    expect(await say(checks.disk({ path: '/no/such/folder' }))).toEqual([
      expect.stringMatching(/^Error health.E017: Cannot read the free space of folder: no such file/),
    ]);
  });
});

describe('memory', () => {
  it('judges the resident set against the limit', async () => {
    expect(await say(checks.memory({ limit: 2 ** 50 }))).toEqual([]);
    expect(await say(checks.memory({ limit: 2 ** 20 }))).toEqual([
      expect.stringMatching(
        /^Error health.E018: The process uses \d+ MiB of 1 MiB memory, \d+ %, above 90 %$/,
      ),
    ]);
    expect(await say(checks.memory({ limit: 2 ** 50, warn: 1e-12 }))).toEqual([
      expect.stringMatching(/^Warning health.E018/),
    ]);
    expect(() => checks.memory({ warn: 2 })).toThrow('up to 1');
  });

  it('finds a limit by itself', async () => {
    expect(await say(checks.memory({ warn: 1, error: 1 }))).toEqual([]);
  });
});

describe('eventLoop', () => {
  it('warns of a loop that is busy and late', async () => {
    const check = checks.eventLoop({ utilization: { warn: 0.2 }, delay: { error: 20 } });
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const end = performance.now() + 600; performance.now() < end;);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await say(check)).toEqual([
      expect.stringMatching(/^Warning health.E019: The event loop is busy \d+ % of the time, above 20 %$/),
      expect.stringMatching(/^Error health.E019: The event loop is \d+ ms late, above 20 ms$/),
    ]);
  });
});

describe('mongo', () => {
  it('pings over the real driver, and warns when that takes long', async () => {
    const options = { serverApi: '1', serverMonitoringMode: 'poll' } as const;
    const quick = new MongoClient(`mongodb://127.0.0.1:${await listening(mongoServer())}/`, options);
    expect(await say(checks.mongo(quick))).toEqual([]);
    await quick.close();
    const slow = new MongoClient(`mongodb://127.0.0.1:${await listening(mongoServer(60))}/`, options);
    await slow.connect();
    expect(await say(checks.mongo(slow, { warn: 50 }))).toEqual([
      expect.stringMatching(/^Warning health.E021: MongoDB answered after \d+ ms, above 50 ms$/),
    ]);
    await slow.close();
  });

  it('knows why the driver finds no server before that gives up', async () => {
    const port = await freePort();
    const client = new MongoClient(`mongodb://127.0.0.1:${port}/`, { serverSelectionTimeoutMS: 60_000 });
    const check = checks.mongo(client);
    expect(await say(check, 1500)).toEqual([
      expect.stringMatching(/health\.E021: .*connection refused \(ECONNREFUSED/),
    ]);
    await client.close();
  });

  it('says that a mongoose connection was not opened', async () => {
    const unopened = { getClient: () => null, model: () => {} };
    expect(await say(checks.mongo(unopened))).toEqual([
      'Error health.E021: Cannot reach MongoDB: the connection was not opened',
    ]);
  });

  it('says that nothing listens, over the real driver', async () => {
    const port = await freePort();
    const client = new MongoClient(`mongodb://planted_user:pl4nted-S3cret@127.0.0.1:${port}/`, {
      serverSelectionTimeoutMS: 300,
    });
    const check = checks.mongo(client);
    const said: string[] = [];
    // A driver without a processor gives up before it has tried to connect, and knows no cause yet.
    await until(async () => {
      said.push(...(await say(check)));
      return /: connection refused \(ECONNREFUSED/.test(said.at(-1) ?? '');
    });
    await client.close();
    expect(said.at(-1)).toMatch(/^Error health.E021: Cannot reach MongoDB: connection refused/);
    expect(said.join()).not.toMatch(/planted/);
  });

  it('refuses what is no client', () => {
    // @ts-expect-error Not a client.
    expect(() => checks.mongo({})).toThrow(expect.objectContaining({ code: 'LIFESIGN_CLIENT' }));
  });
});

describe('options that nobody knows', () => {
  const pool = {
    query: async () => {},
    connect: async () => {},
    totalCount: 0,
    idleCount: 0,
    options: { max: 1 },
  };
  const factories: Readonly<
    Record<string, readonly [known: readonly string[], make: (options: never) => unknown]>
  > = {
    http: [
      ['method', 'headers', 'accepts', 'warn', 'error'],
      (options) => checks.http('http://search/', options),
    ],
    tcp: [['warn', 'error'], (options) => checks.tcp('mail', 25, options)],
    disk: [['path', 'warn', 'error'], (options: object) => checks.disk({ path: '/', ...options })],
    memory: [['limit', 'warn', 'error'], (options) => checks.memory(options)],
    eventLoop: [['utilization', 'delay', 'window'], (options) => checks.eventLoop(options)],
    mongo: [['warn', 'error'], (options) => checks.mongo(new MongoClient('mongodb://127.0.0.1:1'), options)],
    poolUsage: [['max', 'warn', 'error'], (options) => checks.poolUsage(pool as never, options)],
  };

  it.each(Object.entries(factories))(
    'of checks.%s are refused, and the nearest is named',
    (name, [known, make]) => {
      const letters = fc.stringMatching(/^[a-z]{3,9}$/);
      fc.assert(
        fc.property(letters, (option) => {
          fc.pre(!known.includes(option));
          expect(() => make({ [option]: 0.5 } as never)).toThrow(
            expect.objectContaining({ code: 'LIFESIGN_OPTION_UNKNOWN' }),
          );
        }),
      );
      for (const option of known) {
        const misspelt = `${option}x`;
        expect(() => make({ [misspelt]: 0.5 } as never)).toThrow(
          `Unknown option "${misspelt}" of checks.${name}. Known options: ${known.join(', ')}. Did you mean "${option}"?`,
        );
      }
    },
  );

  it('of its thresholds are refused, too', () => {
    expect(() => checks.eventLoop({ delay: { warning: 50 } as never })).toThrow(
      'Unknown option "warning" of checks.eventLoop. Known options: warn, error. Did you mean "warn"?',
    );
  });

  it.each([null, 500, 'fast', true])('%j for options is refused as it stands', (given) => {
    expect(() => checks.memory(given as never)).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }),
    );
  });
});
