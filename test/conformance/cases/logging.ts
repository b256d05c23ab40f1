import { strict as assert } from 'node:assert';
import { requestText, statusCodes } from '../../logging/raw-http.js';
import { type Case, get, recordsOf } from '../case.js';
import { connectTo } from '../host.js';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `request-${index}`);
const last = ['Connection', 'close'];

/** What a check waits for, and how to let it go on. */
let gate = newGate();
/** Opened by the check that waits. */
let reached = newGate();

function newGate(): { opened: Promise<void>; open: () => void } {
  const events = new EventTarget();
  const opened = new Promise<void>((resolve) => {
    events.addEventListener('open', () => resolve());
  });
  return { opened, open: () => events.dispatchEvent(new Event('open')) };
}

/** A header of what the framework calls a request: Hono's and AdonisJS' contexts keep the request in themselves. */
function headerOf(own: unknown, name: string): string | undefined {
  const context = own as { req?: { raw?: object }; request?: { request?: object } };
  const request = context.req?.raw ?? context.request?.request ?? own;
  const { headers } = request as { headers: Headers | Record<string, string> };
  return headers instanceof Headers ? (headers.get(name) ?? undefined) : headers[name];
}

/** `request.summary`, whatever clients do, and the ids of requests. */
export const logging: readonly Case[] = [
  {
    name: 'summary: one for each request of a connection that is kept, with its own id',
    async run(host) {
      const wanted = ids(6);
      const socket = connectTo(host);
      let received = '';
      socket.setEncoding('latin1').on('data', (piece: string) => (received += piece));
      for (const [index, id] of wanted.entries()) {
        socket.write(requestText('GET', '/rid', [['X-Request-Id', id]]));
        for (let turn = 0; turn < 500 && received.split('"rid"').length < index + 2; turn += 1) {
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      }
      const records = await recordsOf(host, 'request.summary', wanted.length);
      assert.deepEqual(
        records.map(({ fields }) => fields['rid']),
        wanted,
      );
      for (const id of wanted) assert.ok(received.includes(`{"rid":"${id}"}`));
      socket.destroy();
    },
  },
  {
    name: 'summary: one for each of several requests that come at once on a connection',
    async run(host) {
      const wanted = ids(5);
      const sent = wanted.map((id, index) =>
        requestText('GET', index === 2 ? '/__lbheartbeat__' : '/', [
          ['X-Request-Id', id],
          ...(index === 4 ? [last] : []),
        ]),
      );
      assert.deepEqual(await statusCodes(connectTo(host), sent.join('')), [200, 200, 200, 200, 200]);
      const records = await recordsOf(host, 'request.summary', wanted.length);
      assert.deepEqual(
        records
          .map(({ fields }) => fields['rid'])
          .toSorted((one, other) => String(one).localeCompare(String(other))),
        wanted,
      );
    },
  },
  {
    name: 'summary: requests side by side keep their ids, below the request and in the record',
    async run(host) {
      const wanted = ids(20);
      const replies = await Promise.all(wanted.map((id) => get(host, '/rid', { 'X-Request-Id': id })));
      assert.deepEqual(
        replies.map(({ body }) => body),
        wanted.map((id) => `{"rid":"${id}"}`),
      );
      const records = await recordsOf(host, 'request.summary', wanted.length);
      assert.deepEqual(new Set(records.map(({ fields }) => fields['rid'])), new Set(wanted));
    },
  },
  {
    name: 'summary: one for a client that leaves while its answer is made',
    setup() {
      gate = newGate();
      reached = newGate();
      return {
        checks: {
          waiting() {
            reached.open();
            return gate.opened.then(() => []);
          },
        },
      };
    },
    async run(host) {
      const socket = connectTo(host);
      socket.on('error', () => {});
      socket.write(requestText('GET', '/__heartbeat__', [['X-Request-Id', 'left']]));
      await reached.opened;
      socket.destroy();
      await new Promise((resolve) => setTimeout(resolve, 20));
      gate.open();
      await get(host, '/', { 'X-Request-Id': 'next' });
      const records = await recordsOf(host, 'request.summary', 2);
      const left = records.filter(({ fields }) => fields['rid'] === 'left');
      assert.equal(left.length, 1);
      // 499 where the server sees it; a fetch handler makes its answer all the same.
      assert.ok([499, 200].includes(Number(left[0]?.fields['code'])));
    },
  },
  {
    name: 'summary: of the health endpoints a share of the successful ones and every failed one',
    setup: () => ({
      options: { summary: { healthEndpoints: 0 } },
      checks: { bad: () => Promise.reject(new Error('x')) },
    }),
    async run(host) {
      for (let i = 0; i < 5; i += 1) await get(host, '/__lbheartbeat__');
      await get(host, '/__heartbeat__');
      await get(host, '/');
      const records = await recordsOf(host, 'request.summary', 2);
      assert.deepEqual(
        records.map(({ fields }) => [fields['path'], fields['code']]),
        [
          ['/__heartbeat__', 500],
          ['/', 200],
        ],
      );
    },
  },
  {
    name: 'summary: uid is what the option says of the request',
    setup: () => ({ options: { uid: (request) => headerOf(request, 'x-user') } }),
    async run(host) {
      await get(host, '/', { 'X-User': 'ada' });
      await get(host, '/__lbheartbeat__', { 'X-User': 'grace' });
      await get(host, '/');
      const records = await recordsOf(host, 'request.summary', 3);
      // A probe has no user: the framework has not made its own request of it.
      assert.deepEqual(records.map(({ fields }) => fields['uid']).toSorted(), ['', '', 'ada']);
    },
  },
  {
    name: 'request id: of a header that comes twice the first',
    async run(host) {
      const ids = ['one', 'two'].map((id) => ['X-Request-Id', id]);
      await statusCodes(connectTo(host), requestText('GET', '/', [...ids, last]));
      const [record] = await recordsOf(host, 'request.summary', 1);
      assert.equal(record?.fields['rid'], 'one');
    },
  },
  {
    name: 'request id: not in the response',
    // AdonisJS itself echoes X-Request-Id.
    setup: () => ({ options: { requestIdHeaderName: 'X-Trace' } }),
    async run(host) {
      const reply = await get(host, '/', { 'X-Trace': 'mine' });
      assert.equal(reply.headers['x-trace'], undefined);
    },
  },
];
