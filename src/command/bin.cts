#!/usr/bin/env node
// The `lifesign` command: `probe` itself, and the start of the other commands.
// A probe runs every few seconds and must start as fast as Node: hence CommonJS, built into one file, and
// HTTP/1.1 over a plain socket, since loading node:http takes longer than the request itself.
import type { Socket } from 'node:net';
import type * as Probe from './probe.js' with { 'resolution-mode': 'import' };
import type * as Printable from '../core/scrub/printable.js' with { 'resolution-mode': 'import' };

const { parseArgs } = process.getBuiltinModule('node:util');
const { writeSync } = process.getBuiltinModule('node:fs');
const { help, judgeFile, parseTime, timeExpected, unreachable }: typeof Probe = require('./probe.js');
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
const maxBodyLength = 4096;
const maxHeadLength = 65_536;

function probe(args: readonly string[]): void {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      path: { type: 'string' },
      timeout: { type: 'string', default: '3s' },
      port: { type: 'string' },
      file: { type: 'string' },
      'max-age': { type: 'string' },
      insecure: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void writeSync(1, help);
  const [url] = positionals;
  const { path, port, insecure, 'max-age': maxAge } = values;
  if (positionals.length > 1) throw new Error('more than one URL was given');
  // Only characters that the first line of a request may contain; a fragment is never sent.
  if (path !== undefined && !/^\/[!"$-~]*$/.test(path)) {
    const rule = 'it must start with / and contain only ASCII, without spaces or # (write %20 for a space)';
    throw new Error(`--path is ${JSON.stringify(path)}; ${rule}`);
  }
  const timeout = time('--timeout', values.timeout);
  const asksServer = (url ?? path ?? port) !== undefined || insecure;
  if (values.file !== undefined && asksServer) {
    throw new Error('--file checks no server; leave out the URL, --path, --port and --insecure');
  }
  const file = values.file ?? (asksServer ? undefined : process.env['HEALTH_FILE'] || undefined);
  if (file !== undefined) {
    const { ok, line } = judgeFile(file, time('--max-age', maxAge ?? '30s'));
    return ok ? pass(line) : fail(line);
  }
  if (maxAge !== undefined) throw new Error('--max-age applies to a file; add --file FILE');
  ask(parseTarget(url, path, port, insecure), timeout);
}

function time(option: string, text: string): number {
  const ms = parseTime(text);
  if (ms === undefined) throw new Error(`${option} is ${JSON.stringify(text)}; ${timeExpected}`);
  return ms;
}

function parseTarget(
  address: string | undefined,
  path: string | undefined,
  port: string | undefined,
  insecure: boolean,
): Target {
  const { connect } = process.getBuiltinModule('node:net');
  const asked = path ?? '/__lbheartbeat__';
  // A query may hold a token, and Docker keeps the output of a probe.
  const shownPath = asked.replace(/\?.*/, '');
  if (address === undefined) {
    const number = portNumber(port);
    const shown = `http://127.0.0.1:${number}${shownPath}`;
    // A server that listens on "localhost" may be on ::1 only.
    const connects = ['127.0.0.1', '::1'].map((host) => () => connect(number, host));
    return { shown, path: asked, hostHeader: `localhost:${number}`, connects };
  }
  if (address.startsWith('unix:')) {
    const connects = [() => connect(address.slice('unix:'.length))];
    return { shown: `${address} ${shownPath}`, path: asked, hostHeader: 'localhost', connects };
  }
  // It is not printed: it may hold a password.
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw new Error('the URL is not one; write http://host:port, https://host:port or unix:/path');
  const url = new URL(address);
  // --path is sent as it is: URL would escape its question mark and resolve its dots.
  const own = path === undefined && url.pathname !== '/';
  const target = own ? url.pathname + url.search : asked + (path === undefined ? url.search : '');
  if (port !== undefined) url.port = String(portNumber(port));
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const connectSecurely = () => {
    const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
    const options = { host, port: Number(url.port) || 443, rejectUnauthorized: !insecure, ...servername };
    return process.getBuiltinModule('node:tls').connect(options);
  };
  const connects = [
    url.protocol === 'https:' ? connectSecurely : () => connect(Number(url.port) || 80, host),
  ];
  const shown = `${url.origin}${own ? url.pathname : shownPath}`;
  return { shown, path: target, hostHeader: url.host, connects };
}

function portNumber(option: string | undefined): number {
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
  const judge = (complete: boolean) => {
    const answer = parse(received.toString());
    if (answer === undefined) {
      if (complete || received.length > maxHeadLength) fail(`${target.shown} did not answer with HTTP`);
      return;
    }
    const { status, body } = answer;
    if (status >= 200 && status <= 299) pass(`${status} ${target.shown} ${elapsed()} ms`);
    // The body of a failure explains it to the operator: it is awaited, up to a length.
    if (complete || body.length >= maxBodyLength) fail(`${status} ${target.shown} ${oneLine(body)}`);
  };
  const timer = setTimeout(
    () => {
      // Half a failure is one too.
      if (parse(received.toString()) !== undefined) judge(true);
      fail(`no answer from ${target.shown} within ${timeout} ms`);
    },
    Math.max(1, timeout - elapsed()),
  );
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
    judge(false);
  });
  socket.on('end', () => judge(true));
  socket.on('error', (error: Error & { code?: string }) => {
    if (parse(received.toString()) !== undefined) judge(true);
    clearTimeout(timer);
    if (error.code === 'ECONNREFUSED' && further.length > 0) ask({ ...target, connects: further }, timeout);
    else fail(`${target.shown}: ${unreachable(error) ?? error.message}`);
  });
  socket.write(
    `GET ${target.path} HTTP/1.1\r\nHost: ${target.hostHeader}\r\nUser-Agent: lifesign-probe\r\n` +
      'Accept: application/json\r\nConnection: close\r\n\r\n',
  );
}

/** Status and body of an answer once its head has arrived; interim answers (1xx) are skipped. */
function parse(text: string): { status: number; body: string } | undefined {
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text.slice(0, 12))?.[1]);
  const end = text.indexOf('\r\n\r\n');
  if (Number.isNaN(status) || end === -1) return undefined;
  const body = text.slice(end + 4);
  if (status < 200) return parse(body);
  const isChunked = /\r\ntransfer-encoding:.*chunked/i.test(text.slice(0, end));
  return { status, body: isChunked ? body.replace(/(^|\r\n)[0-9a-f]+\r\n/gi, '') : body };
}

const elapsed = () => Date.now() - started;
const oneLine = (text: string) => text.slice(0, 300).replace(/\s+/g, ' ').trim();
// Plain ASCII, which is nearly always, does not need the larger pattern.
const safe = (line: string) => (/[^ -~]/.test(line) ? printable(line) : line);

// Both exit at once: not waiting for the socket to close is a millisecond less.
function pass(line: string): never {
  writeSync(1, `ok ${safe(line)}\n`);
  return process.exit(0);
}

function fail(line: string): never {
  writeSync(2, `failed: ${safe(line)}\n`);
  return process.exit(1);
}

const args = process.argv.slice(2);
// As with the other commands, `help probe` is `probe --help`.
const isHelp = args[0] === 'help' && args[1] === 'probe';
if (args[0] === 'probe' || isHelp) {
  try {
    probe(isHelp ? ['--help'] : args.slice(1));
  } catch (thrown) {
    fail(`${thrown instanceof Error ? thrown.message : String(thrown)} (lifesign probe --help)`);
  }
} else void import('./main.js').then(({ main }) => main(args));
