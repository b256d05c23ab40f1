#!/usr/bin/env node
// The `lifesign` command: `probe` itself, and the start of the other commands.
// A probe runs every few seconds and must start as fast as Node: hence CommonJS, built into one file, and
// HTTP/1.1 spoken over a plain socket, since loading node:http takes longer than the request itself.
import type { Socket } from 'node:net';
import type * as Probe from './probe.js' with { 'resolution-mode': 'import' };
import type * as Printable from '../core/scrub/printable.js' with { 'resolution-mode': 'import' };

const { parseArgs } = process.getBuiltinModule('node:util');
const { writeSync } = process.getBuiltinModule('node:fs');
const { fileOf, help, judgeFile, timeExpected, timeOf, unreachable }: typeof Probe = require('./probe.js');
const { printable }: typeof Printable = require('../core/scrub/printable.js');

/** The request, and the ways to connect for it. */
interface Target {
  readonly shown: string;
  readonly hostHeader: string;
  readonly path: string;
  /** The next is tried if one is refused. */
  readonly connects: readonly (() => Socket)[];
}

// Date and not performance: its first use costs a millisecond.
const started = Date.now();
const longestBody = 4096;
const longestHead = 65_536;

function probe(args: readonly string[]): void {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        path: { type: 'string' },
        timeout: { type: 'string', default: '3s' },
        port: { type: 'string' },
        socket: { type: 'string' },
        file: { type: 'string' },
        'max-age': { type: 'string' },
        insecure: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) {
      writeSync(1, help);
      return;
    }
    if (positionals.length > 1) throw new Error('more than one URL was given');
    // Only characters that the first line of a request may contain; a fragment is never sent.
    if (values.path !== undefined && !/^\/[!"$-~]*$/.test(values.path)) {
      throw new Error(
        `--path is ${JSON.stringify(values.path)}; it must start with / and contain only ASCII, without spaces or # (write %20 for a space)`,
      );
    }
    const timeout = timeOf(values.timeout);
    if (timeout === undefined) {
      throw new Error(`--timeout is ${JSON.stringify(values.timeout)}; ${timeExpected}`);
    }
    const watched = fileOf(values, positionals[0], process.env);
    if (watched !== undefined) {
      const { 'max-age': given = '30s' } = values;
      const maxAge = timeOf(given);
      if (maxAge === undefined) throw new Error(`--max-age is ${JSON.stringify(given)}; ${timeExpected}`);
      const { ok, line } = judgeFile(watched, maxAge, Date.now());
      return ok ? pass(line) : fail(line);
    }
    const target = targetOf(positionals[0], values.path, values.port, values.socket, values.insecure);
    ask(target, timeout);
  } catch (thrown) {
    fail(`${thrown instanceof Error ? thrown.message : String(thrown)} (lifesign probe --help)`);
  }
}

function targetOf(
  given: string | undefined,
  path: string | undefined,
  port: string | undefined,
  socket: string | undefined,
  insecure: boolean,
): Target {
  const { connect } = process.getBuiltinModule('node:net');
  const asked = path ?? '/__lbheartbeat__';
  // A query may hold a token, and Docker keeps the output of a probe.
  const shownPath = asked.replace(/\?.*/, '');
  const file = socket ?? (given?.startsWith('unix:') ? given.slice('unix:'.length) : undefined);
  if (file !== undefined) {
    const shown = `unix:${file} ${shownPath}`;
    return { shown, path: asked, hostHeader: 'localhost', connects: [() => connect(file)] };
  }
  if (given === undefined) {
    const number = portOf(port);
    const shown = `http://127.0.0.1:${number}${shownPath}`;
    // A server that listens on "localhost" may be on ::1 only.
    const connects = ['127.0.0.1', '::1'].map((host) => () => connect(number, host));
    return { shown, path: asked, hostHeader: `localhost:${number}`, connects };
  }
  if (!URL.canParse(given) || !/^https?:/.test(given)) {
    throw new Error(
      `${JSON.stringify(withoutPassword(given))} is not a URL; write http://host:port, https://host:port or unix:/path`,
    );
  }
  const url = new URL(given);
  // As it was given: URL would escape its question mark and resolve its dots.
  const own = path === undefined && url.pathname !== '/';
  const target = own ? url.pathname + url.search : asked + (path === undefined ? url.search : '');
  if (port !== undefined) url.port = String(portOf(port));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const number = Number(url.port);
  const connectSecurely = () => {
    const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
    const options = { host, port: number || 443, rejectUnauthorized: !insecure, ...servername };
    return process.getBuiltinModule('node:tls').connect(options);
  };
  return {
    shown: `${url.origin}${own ? url.pathname : shownPath}`,
    path: target,
    hostHeader: url.host,
    connects: [url.protocol === 'https:' ? connectSecurely : () => connect(number || 80, host)],
  };
}

/** An address that cannot be read may hold a password all the same. */
function withoutPassword(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]{0,30}:\/\/)?[^]*@/i, '$1***@');
}

function portOf(option: string | undefined): number {
  const text = option ?? (process.env['PORT'] || '8000');
  const port = Number(text);
  if (/^\d+$/.test(text) && port > 0 && port < 65536) return port;
  const name = option === undefined ? 'PORT' : '--port';
  throw new Error(`${name} is ${JSON.stringify(text)}; it must be an integer from 1 to 65535`);
}

function ask(target: Target, timeout: number): void {
  const [connect, ...further] = target.connects;
  if (connect === undefined) return;
  const socket = connect();
  let received = Buffer.alloc(0);
  let over = false;

  const end = (finish: () => void) => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    socket.destroy();
    finish();
  };
  const left = Math.max(1, timeout - elapsed());
  const timer = setTimeout(() => {
    // Half a failure is one too.
    if (parse(received.toString()) !== undefined) judge(true);
    end(() => fail(`no answer from ${target.shown} within ${timeout} ms`));
  }, left);
  const judge = (complete: boolean) => {
    const answer = parse(received.toString());
    if (answer === undefined) {
      if (complete || received.length > longestHead)
        end(() => fail(`${target.shown} did not answer with HTTP`));
      return;
    }
    const { status, body } = answer;
    if (status >= 200 && status <= 299) end(() => pass(`${status} ${target.shown} ${elapsed()} ms`));
    // The body of a failure explains it to the operator: wait for it, within reason.
    else if (complete || body.length >= longestBody)
      end(() => fail(`${status} ${target.shown} ${oneLine(body)}`));
  };
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    judge(false);
  });
  socket.on('end', () => judge(true));
  socket.on('error', (error: Error & { code?: string }) => {
    if (parse(received.toString()) !== undefined) return judge(true);
    end(() => {
      if (error.code === 'ECONNREFUSED' && further.length > 0) ask({ ...target, connects: further }, timeout);
      else fail(`${target.shown}: ${unreachable(error) ?? error.message}`);
    });
  });
  socket.write(
    `GET ${target.path} HTTP/1.1\r\nHost: ${target.hostHeader}\r\nUser-Agent: lifesign-probe\r\n` +
      'Accept: application/json\r\nConnection: close\r\n\r\n',
  );
}

/** Status and body of an answer whose head is there; interim answers (1xx) are passed over. */
function parse(text: string): { status: number; body: string } | undefined {
  for (let start = 0; ;) {
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text.slice(start, start + 12))?.[1]);
    const end = text.indexOf('\r\n\r\n', start);
    if (Number.isNaN(status) || end === -1) return undefined;
    const head = text.slice(start, end);
    start = end + 4;
    if (status < 200) continue;
    const body = text.slice(start);
    const chunked = /\r\ntransfer-encoding:.*chunked/i.test(head);
    return { status, body: chunked ? body.replace(/(^|\r\n)[0-9a-f]+\r\n/gi, '') : body };
  }
}

const elapsed = () => Date.now() - started;
const oneLine = (text: string) => text.slice(0, 300).replace(/\s+/g, ' ').trim();
// Plain ASCII, which is nearly always, does not need the larger pattern.
const safe = (line: string) => (/[^ -~]/.test(line) ? printable(line) : line);

function pass(line: string): void {
  writeSync(1, `ok ${safe(line)}\n`);
  // Not waiting for the socket to close is a millisecond less.
  process.exit(0);
}

function fail(line: string): void {
  writeSync(2, `failed: ${safe(line)}\n`);
  process.exit(1);
}

const [command, ...args] = process.argv.slice(2);
if (command === 'probe') probe(args);
// As it is with the other commands: `help probe` is `probe --help`.
else if (command === 'help' && args[0] === 'probe') probe(['--help']);
else void import('./main.js').then(({ main }) => main(process.argv.slice(2)));
