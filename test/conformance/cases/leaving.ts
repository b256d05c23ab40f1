import { strict as assert } from 'node:assert';
import { Socket } from 'node:net';
import { requestText } from '../../logging/raw-http.js';
import { type Case, get, recordsOf } from '../case.js';
import { connectTo, type RunningHost } from '../host.js';

/** A body of which only a part comes. */
const long = ['Content-Length', '1000'];
const json = ['Content-Type', 'application/json'];

type Way = 'closes' | 'resets';

/** Sends bytes on a connection of its own. The client leaves when an answer has begun or, if none will, a moment later. */
async function leave(host: RunningHost, bytes: string, answered: boolean, way: Way): Promise<void> {
  const socket = connectTo(host);
  socket.on('error', () => {});
  socket.write(bytes);
  if (answered) await new Promise((resolve) => socket.once('data', resolve));
  // Turns of the event loop, in which the bytes arrive: milliseconds pass without one on a busy machine.
  else for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (way === 'resets' && socket instanceof Socket) socket.resetAndDestroy();
  else socket.resume().end();
  await closed;
}

/** Clients that leave, after their answer or before it. */
export const leaving: readonly Case[] = [
  ...['/echo', '/__lbheartbeat__'].map((path): Case => ({
    name: `summary: one for POST ${path} that is answered before its body has come, and whose client then leaves`,
    async run(host) {
      await leave(host, `${requestText('POST', path, [long])}abc`, true, 'closes');
      await get(host, '/');
      const records = await recordsOf(host, 'request.summary', 2);
      assert.deepEqual(records.map(({ fields }) => fields['path']).toSorted(), ['/', path]);
    },
  })),
  ...(['closes', 'resets'] as const).flatMap((way): Case[] => [
    {
      name: `summary: a client that ${way} while a stream is sent is not an error of the server`,
      async run(host) {
        await leave(host, requestText('GET', '/stream'), true, way);
        const [record] = await recordsOf(host, 'request.summary', 1);
        assert.deepEqual([record?.fields['code'], record?.fields['errno'], record?.level], [200, 0, 20]);
        assert.equal(record?.msg, undefined);
      },
    },
    {
      name: `summary: a client that ${way} while its JSON is read is not an error of the server`,
      async run(host) {
        await leave(host, `${requestText('POST', '/echo', [json, long])}{"a":`, false, way);
        const [record] = await recordsOf(host, 'request.summary', 1);
        // 400 is Node's own answer to a body that ends too early.
        assert.ok([400, 499].includes(Number(record?.fields['code'])));
        assert.deepEqual([record?.fields['errno'], record?.level], [0, 20]);
        assert.equal(record?.msg, undefined);
      },
    },
  ]),
];
