import { createServer } from 'node:http';
import http2, { type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { listen, type RunningHost } from '../host.js';

/** Puts an HTTP/1 server before one of HTTP/2, since the cases speak HTTP/1: it hands on what it gets, and nothing else. */
export async function http1Before(
  server: Http2Server,
  health: RunningHost['health'],
  records: RunningHost['records'],
): Promise<RunningHost> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const session = http2.connect(`http://127.0.0.1:${port}`);
  const front = createServer((req, res) => {
    const { host: _host, connection: _connection, ...headers } = req.headers;
    const stream = session.request(
      { ...headers, ':method': req.method, ':path': pathOf(req.url ?? '/') },
      { endStream: req.method === 'GET' || req.method === 'HEAD' },
    );
    stream.on('response', ({ ':status': status = 0, ...replied }) => {
      const pairs = Object.entries(replied).filter(([name]) => !name.startsWith(':'));
      res.writeHead(status, Object.fromEntries(pairs));
      stream.pipe(res);
    });
    stream.on('error', () => res.destroy());
    res.on('close', () => res.writableFinished || stream.close(http2.constants.NGHTTP2_CANCEL));
    req.pipe(stream);
  });
  const running = await listen(front, health, records);
  return {
    ...running,
    async close() {
      await running.close();
      session.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}

/** HTTP/2 has the scheme and the host of an absolute target in headers of their own. */
function pathOf(target: string): string {
  const path = target.replace(/^[a-z]+:\/\/[^/?]*/i, '');
  return path === target || path.startsWith('/') ? path : `/${path}`;
}
