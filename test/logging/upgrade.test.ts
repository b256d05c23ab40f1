import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import express from 'express';
import Fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { requestId } from 'lifesign';
import { Health as ExpressHealth } from 'lifesign/express';
import { Health as FastifyHealth } from 'lifesign/fastify';
import { Health as NodeHealth } from 'lifesign/node';
import { collecting } from '../conformance/host.js';
import { until } from '../core/waiting.js';
import { open, requestText } from './raw-http.js';

const { options, records } = collecting({});
const ways: Record<string, () => Server | Promise<Server>> = {
  'Express, app.listen': () => {
    const app = express();
    new ExpressHealth(app, options);
    return app.listen(0, '127.0.0.1');
  },
  'node:http': () => {
    const server = createServer((_req, res) => res.end());
    new NodeHealth(server, options);
    return server.listen(0, '127.0.0.1');
  },
  Fastify: async () => {
    const app = Fastify();
    new FastifyHealth(app, options);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
  'Express, a server of its own, after its first request': async () => {
    const app = express();
    new ExpressHealth(app, options);
    const server = createServer(app).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/__lbheartbeat__`);
    await settled(1);
    records.length = 0;
    return server;
  },
};

const settled = (count: number) => until(() => records.length >= count);

let running: Server | undefined;
let sockets: Duplex[] = [];
afterEach(async () => {
  records.length = 0;
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await new Promise((resolve) => running?.close(resolve));
});

describe('upgrade', () => {
  for (const [way, start] of Object.entries(ways)) {
    it(`${way}: one summary with the code of the answer, the rest of the connection untouched`, async () => {
      const server = (running = await start());
      let seen: string | undefined;
      server.on('upgrade', (req, socket: Duplex) => {
        sockets.push(socket);
        seen = requestId();
        if (req.url === '/refused') return socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
        if (req.url === '/dropped') return socket.destroy();
        socket.write(
          Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n'),
        );
        return socket.pipe(socket);
      });
      if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
      const { port } = server.address() as AddressInfo;

      const upgrade = async (path: string) => {
        const socket = await open(port);
        sockets.push(socket);
        let received = '';
        socket.setEncoding('latin1').on('data', (piece: string) => (received += piece));
        const headers = [
          ['Upgrade', 'echo'],
          ['Connection', 'Upgrade'],
          ['X-Request-Id', `id${path}`],
        ];
        socket.write(requestText('GET', path, headers));
        return { socket, received: () => received };
      };
      const { socket, received } = await upgrade('/socket');
      await settled(1);
      expect(seen).toBe('id/socket');
      socket.write('ping');
      await until(() => received().includes('\r\n\r\nping'));
      await upgrade('/refused');
      await settled(2);
      await upgrade('/dropped');
      await settled(3);
      socket.destroy();
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(records.map(({ fields }) => [fields['path'], fields['code'], fields['rid']])).toEqual([
        ['/socket', 101, 'id/socket'],
        ['/refused', 401, 'id/refused'],
        ['/dropped', 499, 'id/dropped'],
      ]);
    });
  }
});
