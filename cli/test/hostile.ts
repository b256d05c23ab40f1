import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { inject } from 'vitest';
import type { Outcome } from './run.js';

/** What a hostile server does with a connection, once it has read the head of a request. */
export type Behaviour = (socket: Socket, request: string) => void;

const esc = '\u001B';
/** What would colour, hide, move or reverse text, ring, rename the window or write to the clipboard. */
export const terminalTricks = `${esc}[31m${esc}]0;title\u0007${esc}]52;c;eA==\u0007\u009B2J\b\u007F\u202Ereversed\u2066\u200B\u2028`;

const bomb = Buffer.alloc(300_000_000);
const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const packed = { gzip: gzipSync(bomb), deflate: deflateSync(bomb), br: brotliCompressSync(bomb, quick) };
const doublePacked = gzipSync(packed.gzip);

const json = (body: string | Buffer, headers = '', status = '200 OK') =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nVary: Accept-Encoding\r\nCache-Control: no-store\r\n` +
        `${headers}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`,
    ),
    Buffer.from(body),
  ]);
const fine = '{"status":"ok","checks":{"db":"ok"},"details":{}}';

/** Writes as long as somebody reads. */
function flood(socket: Socket, head: string, piece: Buffer): void {
  socket.write(head);
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
    socket.once('drain', more);
  };
  more();
}

/** A byte now and then, without end, so that no timer for silence ever fires. */
function drip(socket: Socket, text: string, byte: string): void {
  socket.write(text);
  const timer = setInterval(() => socket.write(byte), 20);
  socket.once('close', () => clearInterval(timer));
}

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const nested = (depth: number) => `{"status":${'['.repeat(depth)}${']'.repeat(depth)},"checks":{}}`;

/** The known ways to keep a client waiting, to fill its memory and to write to its terminal. */
export const behaviours: Readonly<Record<string, Behaviour>> = {
  'the right answer': (socket) => socket.end(json(fine)),
  silence: () => {},
  'closes at once': (socket) => socket.end(),
  reset: (socket) => socket.resetAndDestroy(),
  'a dripping status line': (socket) => drip(socket, 'HTTP/1.1 2', '0'),
  'a dripping head': (socket) => drip(socket, `${head}X: `, 'x'),
  'a dripping body': (socket) => drip(socket, `${head}\r\n{`, ' '),
  'a dripping chunk': (socket) => drip(socket, `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
  'an endless body': (socket) => flood(socket, `${head}\r\n`, Buffer.alloc(65_536, 32)),
  'an endless failure': (socket) =>
    flood(socket, 'HTTP/1.1 503 Down\r\n\r\n', Buffer.alloc(65_536, terminalTricks)),
  'an endless head': (socket) =>
    flood(socket, head, Buffer.from('X-Header: aaaaaaaaaaaaaaaa\r\n'.repeat(2000))),
  'an endless header': (socket) => flood(socket, `${head}X: `, Buffer.alloc(65_536, 97)),
  'a flood of 1xx': (socket) =>
    flood(socket, '', Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(1000))),
  'a drip of 1xx': (socket) => drip(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
  'endless chunk extensions': (socket) =>
    flood(socket, `${head}Transfer-Encoding: chunked\r\n\r\n1;`, Buffer.alloc(65_536, 97)),
  'endless empty chunks': (socket) =>
    flood(socket, `${head}Transfer-Encoding: chunked\r\n\r\n`, Buffer.from('1;a=b\r\n \r\n'.repeat(4000))),
  'endless trailers': (socket) =>
    flood(socket, `${head}Transfer-Encoding: chunked\r\n\r\n0\r\n`, Buffer.from('X: y\r\n'.repeat(8000))),
  'a body shorter than it says': (socket) => socket.end(`${head}Content-Length: 1000\r\n\r\n{"status":`),
  'a body longer than it says': (socket) => socket.end(`${head}Content-Length: 2\r\n\r\n${fine}`),
  'two lengths': (socket) => socket.end(`${head}Content-Length: 2\r\nContent-Length: 9\r\n\r\n${fine}`),
  'a length beyond numbers': (socket) =>
    drip(socket, `${head}Content-Length: 99999999999999999999\r\n\r\n`, ' '),
  'another protocol': (socket) =>
    socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  'a redirect to itself': (socket) =>
    socket.end('HTTP/1.1 302 Found\r\nLocation: /__heartbeat__\r\nContent-Length: 0\r\n\r\n'),
  'a redirect with tricks': (socket) =>
    socket.end(`HTTP/1.1 302 Found\r\nLocation: http://u:hunter2@h/\u009B\r\nContent-Length: 0\r\n\r\n`),
  'a gzip bomb': (socket) => socket.end(json(packed.gzip, 'Content-Encoding: gzip\r\n')),
  'a deflate bomb': (socket) => socket.end(json(packed.deflate, 'Content-Encoding: deflate\r\n')),
  'a brotli bomb': (socket) => socket.end(json(packed.br, 'Content-Encoding: br\r\n')),
  'a bomb in a bomb': (socket) => socket.end(json(doublePacked, 'Content-Encoding: gzip, gzip\r\n')),
  'a bomb in a bomb that says gzip': (socket) => socket.end(json(doublePacked, 'Content-Encoding: gzip\r\n')),
  'a nest': (socket) => socket.end(json(nested(100_000))),
  'a nest that is not closed': (socket) => socket.end(json(`{"checks":${'[{"a":'.repeat(100_000)}`)),
  'a heap of empty lists': (socket) =>
    socket.end(json(`{"status":"ok","checks":[${'[],'.repeat(300_000)}[]]}`)),
  'a hundred thousand checks': (socket) =>
    socket.end(
      json(JSON.stringify({ checks: Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [n, 1])) })),
    ),
  'tricks in a status': (socket) => socket.end(json(JSON.stringify({ status: terminalTricks }))),
  'tricks in the name of a check': (socket) =>
    socket.end(json(JSON.stringify({ status: 'ok', checks: { [terminalTricks]: 1 }, details: 1 }))),
  'tricks in a body that is not JSON': (socket) => socket.end(json(terminalTricks)),
  'tricks in a header': (socket) =>
    socket.end(json(fine, 'Vary: a\u009B2J\u202E\r\nContent-Encoding: \u009B\r\n')),
  'tricks in a header that is refused': (socket) => socket.end(json(fine, `X: ${terminalTricks}\r\n`)),
  'tricks in a failure': (socket) => socket.end(json(terminalTricks, '', `503 ${terminalTricks}`)),
  'a password in the body': (socket) => socket.end(json('{"status":"postgres://app:hunter2@db/app"}')),
  'slow patterns': (socket) => socket.end(json('\\n at a.a.://:'.repeat(40_000))),
};

/** Bytes of all kinds, in pieces, with a right answer somewhere among them or not. */
export const garbage = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom(
          'HTTP/1.1 200 OK\r\n',
          'HTTP/1.1 ',
          '\r\n',
          '\r\n\r\n',
          'Content-Length: 5\r\n',
          ': \r\n',
          '0\r\n\r\n',
          'Transfer-Encoding: chunked\r\n',
          'ffffffff\r\n',
          fine,
          terminalTricks,
          '\0',
          'HTTP/1.1 500 \r\n\r\n',
        )
        .map((text) => Buffer.from(text)),
      fc.constantFrom(...Object.keys(behaviours)).map((name) => name),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces): Behaviour => (socket, request) => {
    for (const piece of pieces) {
      if (typeof piece === 'string') return behaviours[piece]?.(socket, request);
      socket.write(piece);
    }
    return socket.end();
  });

/** Serves each request as `choose` says, on a free loopback port. */
export async function hostile(choose: (request: string, nth: number) => Behaviour) {
  let requests = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      const before = received.includes('\r\n\r\n');
      received += String(bytes);
      if (before || !received.includes('\r\n\r\n')) return;
      requests += 1;
      choose(received, requests)(socket, received);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: String((server.address() as AddressInfo).port),
    requests: () => requests,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** What a run of the command came to, and the most memory it had, in megabytes. */
export interface Measured extends Outcome {
  readonly megabytes: number;
}

/** The built command, with the memory it took. */
export async function measured(
  args: readonly string[],
  { cwd, input }: { cwd?: string; input?: (stdin: NodeJS.WritableStream) => void } = {},
): Promise<Measured> {
  const scratch = mkdtempSync(join(tmpdir(), 'lifesign-measured-'));
  const [preload, file] = [join(scratch, 'preload.cjs'), join(scratch, 'rss')];
  writeFileSync(
    preload,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.resourceUsage().maxRSS)));`,
  );
  const bin =
    args[0] === 'probe' ? join(inject('built'), 'dist/cli/bin.cjs') : join(inject('builtCli'), 'dist/bin.js');
  const child = spawn(process.execPath, ['--require', preload, bin, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], TERM: 'xterm' },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (bytes) => (stdout += String(bytes)));
  child.stderr.on('data', (bytes) => (stderr += String(bytes)));
  child.stdin.on('error', () => {});
  if (input === undefined) child.stdin.end();
  else input(child.stdin);
  const [code] = await once(child, 'close');
  const megabytes = Number(readFileSync(file, 'utf8')) / 1024;
  rmSync(scratch, { recursive: true });
  return { code, stdout, stderr, megabytes };
}

/** Characters that a terminal would act on: none may come out of the command, but the ends of its lines. */
export const unprinted = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
