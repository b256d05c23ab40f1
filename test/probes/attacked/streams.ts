import { type ClientHttp2Session, connect } from 'node:http2';
import { once } from 'node:events';
import { pause } from '../../core/waiting.js';

async function open(port: number): Promise<ClientHttp2Session> {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  await Promise.race([once(session, 'connect'), once(session, 'close')]).catch(() => {});
  return session;
}

/** Asks for a path, and stays for so many milliseconds; a client that leaves resets its stream. */
async function request(session: ClientHttp2Session, path: string, stay: number): Promise<void> {
  if (session.destroyed) return;
  const stream = session.request({ ':path': path, cookie: 'c'.repeat(2000) });
  stream.on('error', () => {});
  stream.resume().end();
  const isOver = new Promise<void>((resolve) => void stream.once('close', resolve));
  await Promise.race([isOver, pause(stay)]);
  if (!stream.destroyed) stream.close(8);
}

/** Fifty streams at once, most of them reset as soon as they begin, on one connection that then goes away. */
export async function resets(port: number, turn: number): Promise<void> {
  const session = await open(port);
  const paths = ['/readyz', '/__heartbeat__', '/', '/__peer__?check=check_database_connected'];
  await Promise.all(
    Array.from({ length: 50 }, (_each, index) =>
      request(session, paths[(turn + index) % paths.length] ?? '/', index % 10 === 0 ? 300 : 0),
    ),
  );
  session.destroy();
}

/** As `exhaust` in clients.ts. */
export async function exhaustByStreams(port: number, turn: number, hold: number): Promise<void> {
  const session = await open(port);
  const holders = [0, 1, 2].map((index) => request(session, '/hold', index < turn % 4 ? hold : 500));
  await Promise.all([...holders, pause(hold)]);
  await Promise.all(Array.from({ length: 12 }, () => request(session, '/slow', 2500)));
  session.destroy();
}
