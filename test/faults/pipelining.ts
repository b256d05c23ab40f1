import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { pause } from '../core/waiting.js';
import type { Look } from './pipelining-app.js';
import { compiled } from '../compiled/index.js';

/** An application of `pipelining-app.ts`. */
export interface PipeliningApp {
  readonly child: ChildProcess;
  readonly port: number;
  look(): Promise<Look>;
  end(): void;
}

export async function startPipelining(
  framework: string,
  secure: boolean,
  flags: readonly string[] = [],
): Promise<PipeliningApp> {
  const file = compiled(new URL('pipelining-app.ts', import.meta.url));
  const child = fork(file, secure ? [framework, 'https'] : [framework], {
    execArgv: ['--expose-gc', ...flags],
  });
  const [port]: unknown[] = await once(child, 'message');
  return {
    child,
    port: Number(port),
    async look() {
      child.send('look');
      const [look] = (await once(child, 'message')) as [Look];
      return look;
    },
    end: () => child.disconnect(),
  };
}

let last = 0;

/** The bytes of a request with an id of its own. */
function request(method: string, path: string, body = '', version = '1.1'): string {
  const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`;
  return `${method} ${path} HTTP/${version}\r\nHost: acme\r\nX-Request-Id: id-${(last += 1)}\r\n${length}\r\n${body}`;
}

/** How a client leaves. */
const leaving = {
  /** RST. */
  resets: (socket: Client) => void socket.resetAndDestroy(),
  /** FIN in both directions. */
  leaves: (socket: Client) => void socket.destroy(),
  /** FIN, and reads on. */
  'half-closes': (socket: Client) => void socket.end(),
  /** Waits for all answers. */
  stays: () => {},
} as const;

type Client = ReturnType<typeof connect>;

/** Sends bytes over a connection of its own, leaves `after` milliseconds later, and waits for the end of it. */
async function ask(
  port: number,
  bytes: string,
  how: keyof typeof leaving,
  { secure = false, after = 0, answers = Infinity } = {},
): Promise<string> {
  const socket = secure
    ? connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let received = '';
  socket.on('error', () => {});
  socket.setEncoding('latin1').on('data', (piece: string) => {
    received += piece;
    if (how === 'stays' && received.split('HTTP/1.1 ').length > answers) socket.end();
  });
  await once(socket, secure ? 'secureConnect' : 'connect');
  await new Promise((resolve) => socket.write(bytes, resolve));
  if (after > 0) await pause(after);
  // Reset over TLS: the connection below it has no such function of its own.
  if (secure && how === 'resets') socket.destroy();
  else leaving[how](socket);
  await closed;
  return received;
}

/** One request that takes its time, and many behind it. */
const burst = (count: number, first = request('GET', '/late')): string =>
  first +
  Array.from({ length: count }, (_, n) => request('GET', n % 2 ? '/__lbheartbeat__' : '/quick')).join('');

/** What there is once all requests that were seen have their record, or once nothing more comes. */
async function settled(app: PipeliningApp): Promise<Look> {
  let look = await app.look();
  for (let still = 0; still < 50 && (look.sockets > 0 || look.seen !== look.records); still += 1) {
    await pause(100);
    const { seen, records } = look;
    look = await app.look();
    if (look.seen !== seen || look.records !== records) still = 0;
  }
  return look;
}

/** Connections of 201 requests each whose client resets: what there is after some of them and after all. */
export async function pipelined(app: PipeliningApp, first: number, more: number) {
  const connections = async (count: number) => {
    for (let n = 0; n < count; n += 1) await ask(app.port, burst(200), 'resets', { after: 10 });
    return settled(app);
  };
  return { early: await connections(first), late: await connections(more) };
}
