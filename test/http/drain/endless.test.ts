import { createServer, get, type IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttp2, connect as connectHttp2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterEach, describe, expect, it, test } from 'vitest';
import { drainOnSignals } from 'lifesign/drain';
import { isEndless } from '../../../src/http/drain/endless.js';
import { Limits } from '../../../src/http/drain/limits.js';
import { makeHealth } from '../../core/make-health.js';
import { until } from '../../core/waiting.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const response = () =>
  new ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as never);

describe('which responses are endless', () => {
  const names = fc.constantFrom('Content-Type', 'content-type', 'CONTENT-TYPE');
  const endless = fc.constantFrom(
    'text/event-stream',
    'text/event-stream; charset=utf-8',
    'multipart/x-mixed-replace; boundary=x',
  );
  const ways = fc.constantFrom('setHeader', 'writeHead', 'writeHead list');
  const head = (made: ServerResponse, way: string, headers: Record<string, string>) => {
    if (way === 'writeHead') made.writeHead(200, headers);
    else if (way === 'writeHead list') made.writeHead(200, Object.entries(headers).flat());
    else {
      for (const [name, value] of Object.entries(headers)) made.setHeader(name, value);
      made.flushHeaders();
    }
    return made;
  };

  it('event streams at once, however their head is written', () => {
    fc.assert(
      fc.property(names, endless, ways, (name, type, way) => {
        const made = head(response(), way, { [name]: type, 'X-Other': 'content-length: 5' });
        expect(isEndless(made, 0)).toBe(true);
        made.end();
        expect(isEndless(made, 10_000)).toBe(false);
      }),
    );
  });

  it('others only after 2 s, and never with a known length or before their head', () => {
    fc.assert(
      fc.property(
        names,
        fc.constantFrom('text/plain', 'application/json', 'video/mp4'),
        ways,
        fc.nat(5000),
        (name, type, way, waited) => {
          expect(isEndless(response(), waited)).toBe(false);
          expect(isEndless(head(response(), way, { [name]: type }), waited)).toBe(waited >= 2000);
          const known = head(response(), way, { [name]: type, 'Content-Length': '10' });
          expect(isEndless(known, waited)).toBe(false);
        },
      ),
    );
  });
});

test('limits: 9 s in all unless a time is set', () => {
  const set = fc.option(fc.integer({ min: 1, max: 600_000 }), { nil: undefined });
  fc.assert(
    fc.property(
      set,
      set,
      fc.constantFrom('server' as const, 'worker' as const),
      (timeout, shutdownTimeout, kind) => {
        const limits = new Limits(kind, { timeout, shutdownTimeout });
        expect(limits.drain()).toBeLessThanOrEqual(timeout ?? (kind === 'server' ? 8000 : 7000));
        expect(limits.drain()).toBeGreaterThanOrEqual(timeout ?? 3000);
        expect(limits.shutdown()).toBeLessThanOrEqual(shutdownTimeout ?? 9000);
        expect(limits.shutdown()).toBeGreaterThanOrEqual(shutdownTimeout ?? 1000);
      },
    ),
  );
});

describe('onShutdown ends event streams', () => {
  /** Longer than the test may take. */
  const options = { delay: 0, timeout: 600_000 };

  test('over HTTP/1', async () => {
    const { health, records } = makeHealth({ summary: false });
    const open = new Set<ServerResponse>();
    const server = createServer((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      open.add(res);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const drain = drainOnSignals(health, {
      server,
      ...options,
      exit: () => {},
      onShutdown: [() => open.forEach((each) => each.end('bye'))],
    });
    ends.push(() => drain.stop());
    const { port } = server.address() as AddressInfo;
    const [stream] = (await once(get({ port, host: '127.0.0.1', agent: false }), 'response')) as [
      IncomingMessage,
    ];
    let text = '';
    stream.on('data', (piece) => (text += String(piece)));
    expect(await drain.start()).toBe(0);
    await until(() => text.endsWith('bye'));
    expect(records.map(({ msg }) => msg)).toContain(
      'Only endless responses are left: handlers and hooks of the application run now',
    );
  });

  test('over HTTP/2', async () => {
    const { health } = makeHealth({ summary: false });
    const open = new Set<{ end(text: string): unknown }>();
    const server = createHttp2((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write('data: 1\n\n');
      open.add(res);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const drain = drainOnSignals(health, {
      server,
      ...options,
      exit: () => {},
      onShutdown: [() => open.forEach((each) => each.end('bye'))],
    });
    ends.push(() => drain.stop());
    const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    ends.push(() => client.destroy());
    const stream = client.request({ ':path': '/' });
    let text = '';
    stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    await once(stream, 'response');
    expect(await drain.start()).toBe(0);
    await until(() => text.endsWith('bye'));
  });
});
