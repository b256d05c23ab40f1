import { createServer as createTcpServer } from 'node:net';
import { BSON } from 'mongodb';

/** Speaks as much of MongoDB's wire protocol as the real driver needs to connect and to ping: no server is to be had. */
export function mongoServer(delay = 0) {
  const hello = { ok: 1, isWritablePrimary: true, maxBsonObjectSize: 2 ** 24, maxMessageSizeBytes: 48e6 };
  const reply = { ...hello, maxWriteBatchSize: 1e5, minWireVersion: 0, maxWireVersion: 25, helloOk: true };
  return createTcpServer((socket) => {
    let waiting = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk]);
      while (waiting.length >= 16 && waiting.length >= waiting.readInt32LE(0)) {
        const message = waiting.subarray(0, waiting.readInt32LE(0));
        waiting = waiting.subarray(message.length);
        const command = BSON.deserialize(message.subarray(21));
        const body = BSON.serialize('ping' in command ? { ok: 1 } : reply);
        const head = Buffer.alloc(21);
        head.writeInt32LE(21 + body.length, 0);
        head.writeInt32LE(message.readInt32LE(4), 8);
        head.writeInt32LE(2013, 12);
        setTimeout(() => socket.write(Buffer.concat([head, body])), 'ping' in command ? delay : 0);
      }
    });
  });
}
