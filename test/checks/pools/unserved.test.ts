import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { abortController } from '../../../src/core/heartbeat/run.js';
import { lending, partFrom, Unserved } from '../../../src/checks/pools/lending.js';
import { deferred, turn } from '../../core/waiting.js';

/** A socket to a server that closes it only when it is told to, as PgBouncer does while a client waits. */
async function waitingSocket() {
  const accepted: Socket[] = [];
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) =>
    accepted.push(socket),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of accepted) socket.destroy();
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('No port');
  const socket = connect(address.port, '127.0.0.1');
  await once(socket, 'connect');
  return { socket, accepted, port: address.port };
}

describe('partFrom', () => {
  it('settles when the server has closed the connection, not when the driver has', async () => {
    const { socket, accepted } = await waitingSocket();
    let isGone = false;
    const gone = partFrom(socket, () => socket.destroy())?.then(() => {
      isGone = true;
    });
    await turn();
    expect(socket.destroyed).toBe(false);
    expect(isGone).toBe(false);
    expect(Object.hasOwn(socket, 'destroy')).toBe(false);
    await expect.poll(() => accepted.length).toBe(1);
    accepted[0]?.resume().end();
    await gone;
    expect(socket.destroyed).toBe(true);
  });

  it('nothing is waited for where no server has the connection', async () => {
    const { port } = await waitingSocket();
    const connecting = connect(port, '127.0.0.1');
    expect(partFrom(connecting, () => {})).toBeUndefined();
    expect(connecting.destroyed).toBe(true);
    expect(partFrom(connecting, () => {})).toBeUndefined();
    for (const none of [undefined, null, 1, {}]) expect(partFrom(none, () => {})).toBeUndefined();
  });
});

describe('Unserved', () => {
  it('is clear again when the connection is gone, or the server has answered', async () => {
    const unserved = new Unserved();
    expect(await unserved.isClear(1)).toBe(true);
    const first = deferred();
    unserved.add({ gone: first.promise, isNew: true }, 10);
    expect(await unserved.isClear(1)).toBe(false);
    first.resolve();
    expect(await unserved.isClear(1000)).toBe(true);
    unserved.add({ gone: new Promise(() => {}), isNew: true }, 10);
    expect(await unserved.isClear(1)).toBe(false);
    unserved.reset();
    expect(await unserved.isClear(1)).toBe(true);
    unserved.add({ gone: undefined, isNew: true }, 10);
    expect(unserved.isWaiting).toBe(false);
  });

  it('one that may have been lost on the way is not waited for as long', async () => {
    const unserved = new Unserved();
    unserved.add({ gone: new Promise(() => {}), isNew: false }, 5);
    expect(await unserved.isClear(60_000)).toBe(true);
    unserved.addLost(5);
    expect(await unserved.isClear(60_000)).toBe(true);
  });

  it('several that were asked for before the first was lost are one loss', async () => {
    const [unserved, one, each] = [new Unserved(), performance.now(), new Unserved()];
    for (let lost = 0; lost < 10; lost += 1) {
      unserved.addLost(5, one);
      each.addLost(5);
    }
    expect(await unserved.isClear(100)).toBe(true);
    expect(await each.isClear(100)).toBe(false);
  });
});

it('however many runs give up, one new connection waits at the server', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), async (answers) => {
      let open = 0;
      let most = 0;
      const closing: (() => void)[] = [];
      const lend = lending<object>({
        acquire() {
          open += 1;
          most = Math.max(most, open);
          return { connection: Promise.resolve({}), isNew: () => true };
        },
        release: () => void (open -= 1),
        destroy: () =>
          new Promise((resolve) => {
            closing.push(() => {
              open -= 1;
              resolve();
            });
          }),
      });
      for (const isAnswered of answers) {
        const run = abortController(performance.now() + 4);
        const timer = setTimeout(() => run.abort(new Error('late')), 4);
        // The server comes back: it closes what was waiting.
        if (isAnswered) for (const close of closing.splice(0)) close();
        const answer = isAnswered ? async () => 1 : () => new Promise<never>(() => {});
        await lend(answer, { signal: run.signal }).catch(() => {});
        clearTimeout(timer);
      }
      expect(most).toBe(1);
    }),
    { numRuns: 20 },
  );
});
