import { existsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { checks, drainOnSignals } from 'lifesign/worker';
import { deferred, turn } from '../core/waiting.js';
import { listening, until } from '../http/serving.js';
import { freePort } from '../services/port.js';
import { directory, makeWorker } from './make-worker.js';

afterEach(() => void vi.unstubAllEnvs());

const failing = (id = 'test.E001') => [new checks.Error('not well', { id })];

describe('a worker serves', () => {
  test('the endpoints, the page, the probes and the metrics on a port, and nothing else', async () => {
    const { health, messages, records } = makeWorker({ page: true, probes: true, metrics: true });
    health.check('storage', () => failing());
    const { port, host } = await health.listening();
    expect(messages()).toEqual([`Serving the health endpoints on ${host}:${port}`]);
    const statusOf = async (path: string) => {
      const reply = await fetch(`http://127.0.0.1:${port}${path}`);
      await reply.arrayBuffer();
      return reply.status;
    };
    const paths = [
      '/__lbheartbeat__',
      '/__heartbeat__',
      '/__version__',
      '/__health__',
      '/livez',
      '/startupz',
      '/__metrics__',
      '/',
    ];
    expect(await Promise.all(paths.map(statusOf))).toEqual([200, 500, 404, 200, 200, 200, 200, 404]);
    // Each is a request with its summary.
    await until(() => records.filter(({ logger }) => logger === 'request.summary').length === paths.length);
  });

  test('not on a port that is taken: it says so, once, and the process goes on', async () => {
    const { port } = new URL(await listening(createServer()));
    const { health, records } = makeWorker({ port: Number(port) });
    await expect(health.listening()).rejects.toMatchObject({
      code: 'LIFESIGN_WORKER_LISTEN',
      message: expect.stringMatching(/EADDRINUSE.*set PORT or the port option/),
    });
    expect(records).toMatchObject([{ level: 40, fields: { code: 'LIFESIGN_WORKER_LISTEN' } }]);
    expect((await health.heartbeat()).status).toBe('ok');
  });

  test('not on an address that is not of this machine: it says which option to set', async () => {
    vi.stubEnv('HOST', '203.0.113.1');
    const { health, messages } = makeWorker();
    await expect(health.listening()).rejects.toMatchObject({
      code: 'LIFESIGN_WORKER_LISTEN',
      message: expect.stringMatching(/on 203\.0\.113\.1:0 \(EADDRNOTAVAIL\)\. Set HOST and PORT/),
    });
    expect(messages()).toHaveLength(1);
  });

  test('until it is closed, also before it listens', async () => {
    const port = await freePort();
    const { health } = makeWorker({ port });
    await health.listening();
    health.close();
    await expect(fetch(`http://127.0.0.1:${port}/__lbheartbeat__`)).rejects.toThrow('fetch failed');
    const hasty = makeWorker();
    hasty.health.close();
    await expect(hasty.health.listening()).rejects.toThrow('closed before');
    expect(hasty.messages()).toEqual([]);
  });
});

describe('the file of a worker', () => {
  test('is touched while all is well, and is gone when it is closed', async () => {
    const file = join(directory(), 'healthy');
    let well = true;
    let runs = 0;
    const { health } = makeWorker({ file, every: 100 });
    health.check('storage', () => ((runs += 1), well ? [] : failing()));
    await until(() => existsSync(file));
    utimesSync(file, 1, 1);
    await until(() => statSync(file).mtimeMs > 1000);
    well = false;
    const seen = runs;
    // The one that is under way may still have found it well.
    await until(() => runs > seen + 1);
    utimesSync(file, 1, 1);
    const before = runs;
    await until(() => runs > before + 2);
    expect(statSync(file).mtimeMs).toBe(1000);
    well = true;
    await until(() => statSync(file).mtimeMs > 1000);
    health.close();
    expect(existsSync(file)).toBe(false);
  });

  test('is touched while the process is leaving: who restarts it now would cut what is under way', async () => {
    const file = join(directory(), 'healthy');
    let runs = 0;
    const { health } = makeWorker({ file, every: 100 });
    health.check('storage', () => ((runs += 1), failing()));
    await until(() => runs > 1);
    expect(existsSync(file)).toBe(false);
    const stop = () => new Promise(() => {});
    const drain = drainOnSignals(health, { signals: [], exit() {}, stop });
    const drained = drain.start();
    await until(() => existsSync(file));
    drain.hurry();
    await drained;
  });

  test('is not touched by a look that was under way when it was closed', async () => {
    const file = join(directory(), 'healthy');
    const { health } = makeWorker({ file });
    const { promise, resolve } = deferred();
    health.check('slow', async () => (await promise, []));
    await turn();
    const looked = health.heartbeat();
    health.close();
    resolve();
    await looked;
    for (let turns = 0; turns < 5; turns += 1) await turn();
    expect(existsSync(file)).toBe(false);
  });

  test('follows /livez where the probes are on: a dependency that is down restarts nothing', async () => {
    const file = join(directory(), 'healthy');
    let runs = 0;
    const { health } = makeWorker({ file, every: 100, probes: true });
    health.check('storage', () => ((runs += 1), failing()));
    await until(() => existsSync(file) && runs > 2);
  });

  test('that a killed process has left does not speak for the next one, and a file with a content is left alone', async () => {
    const dir = directory();
    const file = join(dir, 'healthy');
    writeFileSync(file, '');
    const { health } = makeWorker({ file, every: 100 });
    health.check('storage', () => failing());
    expect(existsSync(file)).toBe(false);
    const precious = join(dir, 'precious');
    writeFileSync(precious, 'text');
    const other = makeWorker({ file: precious, every: 100 });
    utimesSync(precious, 1, 1);
    await until(() => statSync(precious).mtimeMs > 1000);
    other.health.close();
    expect(statSync(precious).size).toBe(4);
  });

  test('that cannot be written any more is told once, and again when it can', async () => {
    const { mkdirSync, rmdirSync } = await import('node:fs');
    const file = join(directory(), 'healthy');
    let runs = 0;
    const { health, messages } = makeWorker({ file, every: 100 });
    health.check('storage', () => ((runs += 1), []));
    mkdirSync(file);
    onTestFinished(() => health.close());
    await until(() => runs > 3);
    expect(messages()).toEqual([expect.stringContaining(`${file} cannot be touched (EISDIR)`)]);
    rmdirSync(file);
    await until(() => messages().length > 1);
    expect(messages()[1]).toBe(`The file ${file} can be touched again`);
    expect(existsSync(file)).toBe(true);
  });
});
