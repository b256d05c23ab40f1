import { request } from 'node:http';
import { expect, it } from 'vitest';
import { start, watchdogOf } from './start.js';

interface Answered {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

const send = (origin: string, method: string, path: string) =>
  new Promise<Answered>((resolve, reject) => {
    const req = request(`${origin}${path}`, { method }, (res) => {
      let body = '';
      res.on('data', (chunk: Buffer) => (body += chunk.toString()));
      res.on('end', () => resolve({ status: res.statusCode, headers: res.headers, body }));
    });
    req.on('error', reject).end();
  });

/** What differs from answer to answer. */
function without({ headers, ...rest }: Answered) {
  const { date: _date, connection: _connection, 'keep-alive': _alive, ...kept } = headers;
  return { ...rest, headers: kept };
}

it('the port answers as the application does, to every method and form of the path', async () => {
  const app = await start();
  const watchdog = await watchdogOf(app);
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH']) {
    for (const path of ['/__lbheartbeat__', '/__lbheartbeat__/', '/__lbheartbeat__?x=1']) {
      expect(without(await send(watchdog, method, path))).toEqual(
        without(await send(app.origin, method, path)),
      );
    }
  }
  for (const path of [
    '/',
    '/__heartbeat__',
    '/__version__',
    '/__lbheartbeat__x',
    '//__lbheartbeat__',
    '/%5F_lbheartbeat__',
  ]) {
    expect(without(await send(watchdog, 'GET', path))).toEqual({
      status: 404,
      body: '{"error":"not found"}',
      headers: {
        'content-type': 'application/json',
        vary: 'Accept-Encoding',
        'cache-control': 'no-store',
        'content-length': '21',
      },
    });
  }
});
