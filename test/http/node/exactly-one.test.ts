import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import express from 'express';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as NodeHealth } from 'lifesign/node';
import { collecting } from '../../conformance/host.js';
import { pause, until } from '../../core/waiting.js';
import { open } from '../../logging/raw-http.js';

/** Answers by path, each in its own way; some never, some only in part. */
const answer: RequestListener = (req, res) => {
  req.on('error', () => {});
  res.on('error', () => {});
  const path = req.url ?? '';
  if (path.startsWith('/slow')) setTimeout(() => res.end('slow'), 15);
  else if (path.startsWith('/body')) req.resume().once('end', () => res.end('read'));
  else if (path.startsWith('/part')) {
    res.write('part');
    setTimeout(() => res.destroy(), 10);
  } else if (path.startsWith('/break')) res.destroy(new Error('broken'));
  else res.end('quick');
};

/** The requests that a client sends, in the order of their bytes. */
const kinds = {
  quick: (id: string) => `GET /quick HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`,
  slow: (id: string) => `GET /slow HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`,
  endpoint: (id: string) => `GET /__heartbeat__ HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`,
  part: (id: string) => `GET /part HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`,
  breaks: (id: string) => `GET /break HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\n\r\n`,
  body: (id: string) =>
    `POST /body HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\nContent-Length: 10\r\n\r\n0123456789`,
  chunked: (id: string) =>
    `POST /body HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  'bad chunk': (id: string) =>
    `POST /body HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  'HTTP/1.0': (id: string) => `GET /quick HTTP/1.0\r\nX-Request-Id: ${id}\r\n\r\n`,
  continue: (id: string) =>
    `POST /body HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab`,
  upgrade: (id: string) =>
    `GET /socket HTTP/1.1\r\nHost: a\r\nX-Request-Id: ${id}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`,
  malformed: () => 'GET /bad\u0000 HTTP/1.1\r\n\r\n',
  garbage: () => 'HELLO\r\n\r\n',
} as const;

const behaviour = fc.record({
  requests: fc.array(fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])), {
    minLength: 1,
    maxLength: 12,
  }),
  /** How much of the bytes is sent, and in how many pieces. */
  share: fc.constantFrom(1, 1, 1, 0.9, 0.5, 0.2),
  pieces: fc.integer({ min: 1, max: 4 }),
  stay: fc.integer({ min: 0, max: 25 }),
  leave: fc.constantFrom('destroy' as const, 'resetAndDestroy' as const, 'end' as const),
});

type Behaviour = typeof behaviour extends fc.Arbitrary<infer T> ? T : never;

describe.each(['node:http', 'Express'])('%s', (name) => {
  const { options, records } = collecting({});
  const seen = new Set<string>();
  let server: Server;
  let ids = 0;
  const started = (message: unknown) => {
    const { request, server: of } = message as { request: { headers: object }; server: unknown };
    if (of === server) seen.add(String(Reflect.get(request.headers, 'x-request-id')));
  };

  beforeAll(async () => {
    if (name === 'Express') {
      const app = express();
      new ExpressHealth(app, options);
      app.use(answer);
      server = app.listen(0, '127.0.0.1');
    } else {
      server = createServer(answer);
      new NodeHealth(server, options);
      server.listen(0, '127.0.0.1');
    }
    // Node's own word for a request whose head was read; upgrades and what cannot be read come elsewhere.
    subscribe('http.server.request.start', started);
    server.on('upgrade', (req, socket: Socket) => {
      seen.add(String(req.headers['x-request-id']));
      socket.on('error', () => {}).resume();
      socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    });
    await until(() => server.listening);
  });
  afterAll(() => {
    unsubscribe('http.server.request.start', started);
    server.closeAllConnections();
    server.close();
  });

  it(
    'requests seen are requests logged, each id once, whatever clients do',
    { timeout: 120_000 },
    async () => {
      const { port } = server.address() as AddressInfo;
      const client = async ({ requests, share, pieces, stay, leave }: Behaviour) => {
        const all = requests.map((kind) => kinds[kind](`id-${(ids += 1)}`)).join('');
        const bytes = all.slice(0, Math.ceil(all.length * share));
        const socket = await open(port);
        socket.resume();
        const closed = new Promise((resolve) => socket.once('close', resolve));
        for (let piece = 0; piece < pieces && !socket.destroyed; piece += 1) {
          const [from, to] = [piece, piece + 1].map((n) => Math.floor((bytes.length * n) / pieces));
          socket.write(bytes.slice(from, to), 'latin1');
          await pause(1);
        }
        await pause(stay);
        socket[leave]();
        // One that only says goodbye is not waited for without end.
        const last = setTimeout(() => socket.destroy(), 300);
        await closed;
        clearTimeout(last);
      };
      await fc.assert(
        fc.asyncProperty(fc.array(behaviour, { minLength: 1, maxLength: 8 }), async (clients) => {
          seen.clear();
          records.length = 0;
          await Promise.all(clients.map(client));
          await until(
            () =>
              new Promise<boolean>((resolve) =>
                server.getConnections((_error, count) => resolve(count === 0)),
              ),
          );
          await pause(5);
          const logged = records.filter(({ logger }) => logger === 'request.summary');
          // None for what cannot be read.
          expect(logged.map(({ fields }) => fields['rid']).toSorted()).toEqual([...seen].toSorted());
        }),
        { numRuns: 50, endOnFailure: true },
      );
    },
  );
});
