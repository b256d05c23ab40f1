import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
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

export async function startPipelining(framework: string, flags: readonly string[]): Promise<PipeliningApp> {
  const file = compiled(new URL('pipelining-app.ts', import.meta.url));
  const child = fork(file, [framework], { execArgv: ['--expose-gc', ...flags] });
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
const request = (path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: acme\r\nX-Request-Id: id-${(last += 1)}\r\n\r\n`;

/** A connection of 201 requests, of which the first takes its time; its client resets it. */
async function burst(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'connect');
  const others = Array.from({ length: 200 }, (_, n) => request(n % 2 ? '/__lbheartbeat__' : '/quick'));
  await new Promise((resolve) => socket.write(request('/late') + others.join(''), resolve));
  await pause(10);
  socket.resetAndDestroy();
  await closed;
}

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
    for (let n = 0; n < count; n += 1) await burst(app.port);
    return settled(app);
  };
  return { early: await connections(first), late: await connections(more) };
}
