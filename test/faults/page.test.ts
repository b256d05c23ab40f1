import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../core/waiting.js';
import { compiled } from '../compiled/index.js';
import { chosen } from '../whole.js';

let child: ChildProcess | undefined;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  child?.kill('SIGKILL');
});

async function start(host: string): Promise<number> {
  const file = compiled(new URL('page-app.ts', import.meta.url));
  const memory = ['--max-old-space-size=96', '--expose-gc'];
  child = spawn(process.execPath, [...memory, file, host], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line]: Buffer[] = await once(child.stdout ?? child, 'data');
  return Number(line);
}

/** An open page that reads nothing, or all; what its server said first. */
function open(port: number, reads: boolean): { readonly first: () => string } {
  const socket = connect(port, '127.0.0.1');
  let first = '';
  socket.on('error', () => {});
  socket.on('connect', () => socket.write('GET /__health__/events HTTP/1.1\r\nHost: localhost\r\n\r\n'));
  socket.on('data', (chunk: Buffer) => {
    if (first === '') first = chunk.toString('latin1').slice(0, 12);
    if (!reads) socket.pause();
  });
  sockets.push(socket);
  return { first: () => first };
}

describe.each(chosen(['node', 'hono'], 'node'))('a thousand health pages that never read, on %s', (host) => {
  test('take a hundred places, bounded memory, and nothing from the probes', async () => {
    const port = await start(host);
    const origin = `http://127.0.0.1:${port}`;
    const beat = async () => (await fetch(`${origin}/__heartbeat__`)).status;
    const used = async (): Promise<number> => JSON.parse(await (await fetch(`${origin}/stats`)).text()).used;
    expect(await beat()).toBe(200);
    await (await fetch(`${origin}/__health__`)).text();
    const before = await used();

    const pages = Array.from({ length: 1000 }, () => open(port, false));
    await until(() => pages.every(({ first }) => first() !== ''));
    const answers = pages.map(({ first }) => first().slice(9));
    expect(answers.filter((code) => code === '200').length).toBe(100);
    expect(answers.filter((code) => code === '503').length).toBe(900);

    for (let times = 0; times < 5; times += 1) {
      expect(await beat()).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    // One event of 180 KB at most for each, and what the service itself uses.
    expect((await used()) - before).toBeLessThan(40_000_000);
    expect(child?.exitCode).toBe(null);
  });
});
