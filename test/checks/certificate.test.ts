import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { checks, Health } from 'lifesign/express';
import { freePort } from '../services/port.js';
import { issue } from './issue.js';

type Options = Parameters<typeof checks.certificate>[0];

const day = 86_400_000;
const good = issue(-1, 90);
const soon = issue(-1, 10);
const late = issue(-1, 3);
const expired = issue(-30, -3);
const future = issue(5, 90);
const folder = mkdtempSync(join(tmpdir(), 'lifesign-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function say(options: Options, timeout = 10_000): Promise<string[]> {
  const health = new Health(undefined, { logger: false, timeout });
  onTestFinished(() => health.close());
  health.check('certificate', checks.certificate(options));
  const [result] = (await health.heartbeat()).results;
  return (
    result?.messages.map(({ level, id, text }) => `${level === 30 ? 'Warning ' : ''}${id} ${text}`) ?? []
  );
}

async function listen(server: Server, address = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
}

const dateIn = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10);

describe('of a file', () => {
  const write = (...certs: string[]) => {
    const file = join(folder, 'tls.pem');
    writeFileSync(file, certs.join('\n'));
    return { file };
  };

  it('is read with each run, and of a chain the first to expire counts', async () => {
    expect(await say(write(good.cert))).toEqual([]);
    expect(await say(write(good.key, good.cert, soon.cert))).toEqual([
      `Warning health.E044 The certificate of tls.pem expires in 9 days (${dateIn(10)})`,
    ]);
    expect(await say(write(soon.cert, late.cert, good.cert))).toEqual([
      `health.E044 The certificate of tls.pem expires in 2 days (${dateIn(3)})`,
    ]);
    expect(await say(write(expired.cert))).toEqual([
      `health.E044 The certificate of tls.pem expired 3 days ago (${dateIn(-3)})`,
    ]);
    expect(await say(write(future.cert))).toEqual([
      `health.E044 The certificate of tls.pem is not valid before ${dateIn(5)}`,
    ]);
  });

  it('has thresholds in milliseconds or in words', async () => {
    const file = write(soon.cert);
    for (const [warn, silent] of [
      ['10d', '9d'],
      ['240h', '200h'],
      ['2w', '1w'],
      [10 * day, 9 * day],
      ['864000s', '800000s'],
      ['14400m', '12000.5m'],
    ] as const) {
      expect(await say({ ...file, warn })).toHaveLength(1);
      expect(await say({ ...file, warn: silent })).toEqual([]);
      expect(await say({ ...file, error: warn })).toEqual([expect.stringContaining('health.E044')]);
    }
  });

  it('says why it cannot be read, without the folder', async () => {
    const damaged = good.cert.replace(/\n[\w+/=]{20}/, '\nAAAAAAAAAAAAAAAAAAAA');
    const cannot = 'health.E044 Cannot read the certificate of';
    expect(await say({ file: join(folder, 'none.pem') })).toEqual([
      `${cannot} none.pem: no such file, directory or socket (ENOENT)`,
    ]);
    expect(await say(write('nothing'))).toEqual([`${cannot} tls.pem: the file contains no PEM certificate`]);
    expect(await say(write(good.key))).toEqual([`${cannot} tls.pem: the file contains no PEM certificate`]);
    expect(await say(write(damaged))).toEqual([`${cannot} tls.pem: a certificate in the file is damaged`]);
    expect((await say({ file: folder })).join()).not.toContain(tmpdir());
  });
});

describe('of a host', () => {
  it.each([
    ['good', good, []],
    [
      'soon',
      soon,
      [`Warning health.E044 The certificate of localhost:PORT expires in 9 days (${dateIn(10)})`],
    ],
    ['late', late, [`health.E044 The certificate of localhost:PORT expires in 2 days (${dateIn(3)})`]],
    [
      'expired',
      expired,
      [`health.E044 The certificate of localhost:PORT expired 3 days ago (${dateIn(-3)})`],
    ],
    ['future', future, [`health.E044 The certificate of localhost:PORT is not valid before ${dateIn(5)}`]],
  ])('%s', async (_what, made, said) => {
    const errors: unknown[] = [];
    const server = https.createServer(made).on('clientError', (error) => errors.push(error));
    const port = await listen(server);
    const seen = await say({ host: 'localhost', port, ca: made.cert });
    expect(seen.map((each) => each.replace(String(port), 'PORT'))).toEqual(said);
    await expect
      .poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count))))
      .toBe(0);
    expect(errors).toEqual([]);
  });

  it('must be trusted, and for this name', async () => {
    const port = await listen(tls.createServer(good));
    const of = `health.E044 The certificate of`;
    expect(await say({ host: 'localhost', port })).toEqual([
      `${of} localhost:${port} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    ]);
    expect(await say({ host: '127.0.0.1', port, ca: [Buffer.from(good.cert)] })).toEqual([
      `${of} 127.0.0.1:${port} is for other host names (ERR_TLS_CERT_ALTNAME_INVALID)`,
    ]);
    expect(await say({ host: '127.0.0.1', port, ca: good.cert, servername: 'localhost' })).toEqual([]);
  });

  it('is asked for by its name', async () => {
    const names: string[] = [];
    const SNICallback = (name: string, done: (error: Error | null) => void) => {
      names.push(name);
      done(null);
    };
    const port = await listen(tls.createServer({ ...good, SNICallback }));
    await say({ host: 'localhost', port });
    await say({ host: '127.0.0.1', port, servername: 'other.example' });
    await say({ host: '127.0.0.1', port });
    expect(names).toEqual(['localhost', 'other.example']);
  });

  it('says why it cannot be reached', async () => {
    const closed = await freePort();
    expect(await say({ host: '127.0.0.1', port: closed })).toEqual([
      `health.E044 Cannot read the certificate of 127.0.0.1:${closed}: connection refused (ECONNREFUSED 127.0.0.1:${closed})`,
    ]);
    const plain = await listen(createServer((socket) => socket.end('220 mail\r\n')));
    expect((await say({ host: '127.0.0.1', port: plain })).join()).toMatch(/^health.E044 .*TLS/);
    const hangup = await listen(createServer((socket) => socket.destroy()));
    expect((await say({ host: '127.0.0.1', port: hangup })).join()).toMatch(
      /^health.E044 .*closed the connection/,
    );
  });

  it('that does not close its side is read nevertheless', async () => {
    const server = tls.createServer({ ...good, allowHalfOpen: true }, (socket) =>
      socket.on('error', () => {}).resume(),
    );
    const port = await listen(server);
    expect(await say({ host: 'localhost', port, ca: good.cert }, 1000)).toEqual([]);
  });

  it('that is silent takes no longer than the check may, and keeps no connection', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).resume());
    const port = await listen(server);
    expect(await say({ host: '127.0.0.1', port }, 500)).toEqual([
      `health.E044 Cannot read the certificate of 127.0.0.1:${port}: connecting took too long (ETIMEDOUT)`,
    ]);
    await expect
      .poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count))))
      .toBe(0);
  });
});

it.each<[unknown, string]>([
  [undefined, 'The options argument of checks.certificate'],
  [{}, 'host or file'],
  [{ host: '' }, 'host or file'],
  [{ host: 5 }, 'host or file'],
  [{ host: 'a', file: 'b' }, 'host or file'],
  [{ file: '' }, 'host or file'],
  [{ server: createServer() }, 'server'],
  [{ host: 'a', port: 0 }, 'port'],
  [{ host: 'a', port: '443' }, 'port'],
  [{ host: 'a', servername: '' }, 'servername'],
  [{ host: 'a', ca: 5 }, 'ca'],
  [{ host: 'a', ca: [null] }, 'ca'],
  [{ host: 'a', warn: 0 }, 'warn'],
  [{ host: 'a', warn: Number.NaN }, 'warn'],
  [{ host: 'a', warn: '21' }, 'warn'],
  [{ host: 'a', warn: '0d' }, 'warn'],
  [{ host: 'a', warn: '3 weeks' }, 'warn'],
  [{ host: 'a', error: '-7d' }, 'error'],
  [{ host: 'a', error: null }, 'error'],
  [{ host: 'a', warn: '7d', error: '21d' }, 'warn'],
  [{ host: 'a', wran: '7d' }, 'wran'],
])('refuses %j', (options, named) => {
  const make = () => checks.certificate(options as never);
  expect(make).toThrow(named);
  expect(make).toThrow(expect.objectContaining({ code: expect.stringMatching(/^LIFESIGN_OPTION_/) }));
});
