import http2, { type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, type Socket } from 'node:net';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { Health } from 'lifesign/node';
import { pause, until } from '../../core/waiting.js';
import { collect } from '../serving.js';

/** Ways to end a request, by the server's handler and by the client. */
const endings = {
  answer: (_req, res) => void res.end('done'),
  later: (_req, res) => void setImmediate(() => res.end('late')),
  part: (_req, res) => void res.write('part'),
  never: () => {},
  body: (req, res) => void req.resume().once('end', () => res.end('read')),
  'destroy response': (_req, res) => void res.stream?.destroy(),
  'destroy session': (req) => req.stream.session?.destroy(),
  'destroy session after the answer': (req, res) => {
    res.end('done');
    req.stream.session?.destroy();
  },
  'destroy session later': (req, res) => {
    res.write('part');
    setImmediate(() => req.stream.session?.destroy());
  },
  'destroy session with an error': (req) => req.stream.session?.destroy(new Error('broken')),
  'close stream': (req) => req.stream.close(http2.constants.NGHTTP2_CANCEL),
} as const satisfies Record<string, (req: http2.Http2ServerRequest, res: http2.Http2ServerResponse) => void>;
type Ending = keyof typeof endings;
const names = Object.keys(endings) as Ending[];

const leaves = {
  wait: () => {},
  reset: (stream) => stream.close(http2.constants.NGHTTP2_CANCEL),
  refuse: (stream) => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR),
  destroy: (stream) => void stream.destroy(),
  'destroy with an error': (stream) => void stream.destroy(new Error('client')),
} as const satisfies Record<string, (stream: ClientHttp2Stream) => void>;

const stream = fc.record({
  // A session that is destroyed ends its other streams: seldom, so that there are some.
  ending: fc.oneof(
    {
      weight: 60,
      arbitrary: fc.constantFrom(...names.filter((name) => !name.startsWith('destroy session'))),
    },
    { weight: 1, arbitrary: fc.constantFrom(...names) },
  ),
  method: fc.constantFrom('GET', 'HEAD', 'POST'),
  leave: fc.constantFrom(...(Object.keys(leaves) as (keyof typeof leaves)[])),
  /** Turns of the event loop until it leaves. */
  turns: fc.integer({ min: 0, max: 12 }),
});
const session = fc.record({
  streams: fc.array(stream, { minLength: 1, maxLength: 60, size: 'max' }),
  end: fc.constantFrom('destroy' as const, 'destroy socket' as const, 'close' as const, 'goaway' as const),
  turns: fc.integer({ min: 0, max: 20 }),
});

const turn = async (count: number) => {
  for (let left = count; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
};

test(
  'each HTTP/2 request that reached its handler has one summary, however it ends',
  { timeout: 120_000 },
  async () => {
    const { logger, summaries, records } = collect();
    const reached: string[] = [];
    let [ids, streams, all] = [0, 0, 0];
    const server = http2.createServer((req, res) => {
      for (const each of [req, res, req.stream]) each.on('error', () => {});
      all += 1;
      reached.push(String(req.headers['x-request-id']));
      endings[String(req.headers['x-ending']) as Ending](req, res);
    });
    server.on('sessionError', () => {});
    new Health(server, { logger });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;

    const end: Record<string, (client: ClientHttp2Session, socket: Socket) => void> = {
      destroy: (client) => client.destroy(),
      'destroy socket': (_client, socket) => void socket.destroy(),
      close: (client) => client.close(),
      goaway: (client) => client.goaway(http2.constants.NGHTTP2_PROTOCOL_ERROR),
    };
    const enough = performance.now() + 4000;
    await fc.assert(
      fc.asyncProperty(fc.array(session, { minLength: 1, maxLength: 8, size: 'max' }), async (sessions) => {
        // Fewer on a slow machine, each of them whole.
        if (performance.now() > enough) return;
        reached.length = 0;
        records.length = 0;
        const clients = sessions.map(async (given) => {
          const socket = connect(port, '127.0.0.1').on('error', () => {});
          const client = http2.connect('http://127.0.0.1', { createConnection: () => socket });
          client.on('error', () => {});
          const closed = new Promise((resolve) => client.once('close', resolve));
          await new Promise((resolve) => client.once('connect', resolve));
          const leaving = given.streams.map(async ({ ending, method, leave, turns }) => {
            if (client.destroyed || client.closed) return;
            const headers = { ':path': '/orders', ':method': method, 'x-ending': ending };
            const asked = client.request({ ...headers, 'x-request-id': `id-${(ids += 1)}` });
            asked.on('error', () => {}).resume();
            asked.end();
            streams += 1;
            await turn(turns);
            if (!asked.destroyed) leaves[leave](asked);
          });
          await turn(given.turns);
          if (!client.destroyed) end[given.end]?.(client, socket);
          await Promise.all(leaving);
          // One that waits for an answer that never comes; one that was closed before would wait for the server's end.
          setTimeout(() => {
            client.destroy();
            socket.destroy();
          }, 5);
          await closed;
        });
        await Promise.all(clients);
        // A stream that Node never closes has its summary after 5 s.
        await until(() => summaries().length >= reached.length, 20_000).catch(() => {});
        await pause(2);
        const logged = summaries().map(({ fields }) => String(fields['rid']));
        expect(logged.toSorted()).toEqual(reached.toSorted());
      }),
      { numRuns: 200, endOnFailure: true },
    );
    console.log(`[http2] ${streams} streams, ${all} reached`);
  },
);
