import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { freePort } from '../services/port.js';
import { lifesign } from './run.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listening(server: Server, where: string | { host: string; port: number } = loopback) {
  await new Promise<void>((resolve) => server.listen(where, resolve));
  closers.push(() => server.close());
  return String((server.address() as AddressInfo).port);
}

const loopback = { host: '127.0.0.1', port: 0 };
const answer =
  (status: number, body: string): RequestListener =>
  (_req, res) =>
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(body);

test('asks /__lbheartbeat__ on PORT: one line, exit code 0', async () => {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url} ${req.headers.host}`);
    res.end('{"status":"ok"}');
  });
  const PORT = await listening(server);
  const { code, stdout, stderr } = await lifesign(['probe'], { env: { PORT } });
  expect(stdout).toMatch(new RegExp(`^ok 200 http://127\\.0\\.0\\.1:${PORT}/__lbheartbeat__ \\d+ ms\\n$`));
  expect({ code, stderr, asked }).toEqual({
    code: 0,
    stderr: '',
    asked: [`GET /__lbheartbeat__ localhost:${PORT}`],
  });
});

test('--path is asked as it was given, path and query, and no query is printed', async () => {
  const asked: string[] = [];
  const dir = mkdtempSync(join(tmpdir(), 'lifesign-probe-'));
  closers.push(() => rmSync(dir, { recursive: true, force: true }));
  const listener: RequestListener = (req, res) => {
    asked.push(req.url ?? '');
    res.end('{}');
  };
  const PORT = await listening(createServer(listener));
  const socket = join(dir, 'app.sock');
  await new Promise<void>((resolve) => {
    const server = createServer(listener).listen(socket, resolve);
    closers.push(() => server.close());
  });
  const paths = [
    '/health?verbose=1',
    '/health?a=/b?c&token=s3cret',
    '/?',
    '//a/../b/./%2e%2F;x=[1]{2}|\\^"<>`~!',
  ];
  const targets = [[`unix:${socket}`], [`http://127.0.0.1:${PORT}/x?y=1`], [], [`http://127.0.0.1:${PORT}`]];
  for (const [index, path] of paths.entries()) {
    const { code, stdout } = await lifesign(['probe', ...(targets[index] ?? []), '--path', path], {
      env: { PORT },
    });
    expect({ code, asked: asked.pop() }).toEqual({ code: 0, asked: path });
    expect(stdout).not.toMatch(/[?]|s3cret/);
    expect(stdout).toContain(`${path.split('?')[0]} `);
  }
  await lifesign(['probe', `http://127.0.0.1:${PORT}/x?y=1`]);
  await lifesign(['probe', `http://127.0.0.1:${PORT}?y=1`]);
  expect(asked).toEqual(['/x?y=1', '/__lbheartbeat__?y=1']);
});

test('a failing heartbeat: exit code 1 and the report on one line', async () => {
  const report = '{"status":"error","checks":{"db":"error"},\n"details":{}}';
  const PORT = await listening(createServer(answer(500, report)));
  const { code, stdout, stderr } = await lifesign(['probe', '--path', '/__heartbeat__'], { env: { PORT } });
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: `failed: 500 http://127.0.0.1:${PORT}/__heartbeat__ ${report.replace('\n', ' ')}\n`,
  });
});

test('a server that never answers: --timeout', async () => {
  const server = createTcp((socket) => closers.push(() => socket.destroy()));
  const port = await listening(server);
  const { code, stderr } = await lifesign(['probe', '--port', port, '--timeout', '200ms']);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `failed: no answer from http://127.0.0.1:${port}/__lbheartbeat__ within 200 ms\n`,
  });
});

test('a failure whose body never ends is told with its status', async () => {
  const server = createServer((_req, res) => {
    res.writeHead(503);
    res.write('down');
  });
  const port = await listening(server);
  const { code, stderr } = await lifesign(['probe', '--port', port, '--timeout', '300ms']);
  server.closeAllConnections();
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `failed: 503 http://127.0.0.1:${port}/__lbheartbeat__ down\n`,
  });
});

test('a server that speaks something else', async () => {
  const port = await listening(createTcp((socket) => socket.on('error', () => {}).end('220 smtp ready\r\n')));
  const { code, stderr } = await lifesign(['probe', '--port', port]);
  expect(code).toBe(1);
  expect(stderr).toContain('did not answer with HTTP');
});

test('nothing listens', async () => {
  const port = String(await freePort());
  const { code, stderr } = await lifesign(['probe', '--port', port]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `failed: http://127.0.0.1:${port}/__lbheartbeat__: the connection was refused, nothing is listening there (ECONNREFUSED ::1:${port})\n`,
  });
});

test('a host name that does not exist, and https on a port without TLS', async () => {
  const named = await lifesign(['probe', 'http://nosuch.invalid:8000']);
  expect(named).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^failed: http:\/\/nosuch\.invalid:8000\/__lbheartbeat__: the host name (?:does not exist|cannot be looked up now) \((?:ENOTFOUND|EAI_AGAIN) nosuch\.invalid\)\n$/,
    ),
  });
  const port = await listening(createServer(answer(200, '{}')));
  const plain = await lifesign(['probe', `https://127.0.0.1:${port}`]);
  expect(plain.code).toBe(1);
  expect(plain.stderr).toMatch(
    /: the server does not speak TLS on that port, try http:\/\/ \(\w+: [\w ]+\)\n$/,
  );
});

test('finds a server that listens on ::1 alone', async () => {
  const PORT = await listening(createServer(answer(200, '{}')), { host: '::1', port: 0 });
  expect((await lifesign(['probe'], { env: { PORT } })).code).toBe(0);
});

test('a unix socket', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'lifesign-probe-'));
  closers.push(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'app.sock');
  await new Promise<void>((resolve) => {
    const server = createServer(answer(200, '{}')).listen(file, resolve);
    closers.push(() => server.close());
  });
  expect((await lifesign(['probe', `unix:${file}`])).stdout).toMatch(/^ok 200 unix:/);
  expect((await lifesign(['probe', `unix:${file}.gone`])).stderr).toContain(
    ': the socket does not exist (ENOENT ',
  );
});

test('https: refuses an unknown certificate, says how to accept it, takes the authority from Node', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'lifesign-probe-'));
  closers.push(() => rmSync(dir, { recursive: true, force: true }));
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, ...subject],
    { stdio: 'ignore' },
  );
  const server = createHttps({ key: readFileSync(key), cert: readFileSync(cert) }, answer(200, '{}'));
  const url = `https://localhost:${await listening(server)}`;
  const refused = await lifesign(['probe', url]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    ': the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); --insecure accepts it\n',
  );
  expect((await lifesign(['probe', url, '--insecure'])).code).toBe(0);
  expect((await lifesign(['probe', url], { env: { NODE_EXTRA_CA_CERTS: cert } })).code).toBe(0);
});

test.each([
  [{}, ['--nope'], "Unknown option '--nope'"],
  [{ PORT: 'eighty' }, [], 'PORT is "eighty"; it must be an integer from 1 to 65535'],
  [{ PORT: '0' }, [], 'PORT is "0"'],
  [{}, ['--timeout', 'soon'], '--timeout is "soon"; it must be a time such as 500ms, 3s or 10m'],
  [{}, ['--timeout', '3'], '--timeout is "3"; it must be a time such as 500ms'],
  [{}, ['--timeout', '0'], '--timeout is "0"; it must be a time'],
  [{}, ['--timeout='], '--timeout is ""; it must be a time'],
  [{}, ['--timeout', '-1'], "'--timeout' argument is ambiguous"],
  [{}, ['--path', 'health?x'], '--path is "health?x"; it must start with /'],
  [
    {},
    ['--path', '/a#b'],
    '--path is "/a#b"; it must start with / and contain only ASCII, without spaces or #',
  ],
  [{}, ['--path', '/a\r\nHost: b'], 'it must start with /'],
  [{}, ['--path', 'x y'], '--path is "x y"'],
  [{}, ['localhost:8000'], 'the URL is not one; write http://host:port'],
  [{}, ['https//u:s3cret@host'], 'the URL is not one; write http://host:port'],
  [{}, ['http://a', 'http://b'], 'more than one URL'],
])('misuse is one line and exit code 1, as Docker wants it: %j %j', async (env, args, sentence) => {
  const { code, stderr } = await lifesign(['probe', ...args], { env });
  expect(code).toBe(1);
  expect(stderr).toContain(sentence);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('loads nothing but net: neither http nor another file of the package', async () => {
  const PORT = await listening(createServer(answer(200, '{}')));
  const { stdout } = await lifesign(['probe'], {
    env: { PORT, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(spy)}` },
  });
  const loaded = /loaded (.*)/.exec(stdout)?.[1]?.split('|') ?? [];
  expect(loaded).toContain('NativeModule net');
  expect(loaded.join('\n')).not.toMatch(/NativeModule (http|https|tls|_http_client)$/m);
});

const spy = `process.on('exit', () => process.stdout.write('loaded ' + process.moduleLoadList.join('|') + '\\n'));`;

test('--file looks at the age of a file: new enough is ok, too old, missing, no file and a clock set back are not', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'lifesign-probe-'));
  closers.push(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'healthy');
  const probe = async (seconds: number | undefined, ...args: string[]) => {
    if (seconds !== undefined) {
      writeFileSync(file, '');
      utimesSync(file, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);
    }
    const { code, stdout, stderr } = await lifesign(['probe', '--file', file, ...args]);
    return `${code} ${stdout}${stderr}`;
  };
  expect(await probe(undefined)).toBe(
    `1 failed: ${file} does not exist: the worker has not been healthy yet, or has exited\n`,
  );
  expect(await probe(0)).toMatch(/^0 ok .*healthy was touched \d+ ms ago\n$/);
  expect(await probe(100)).toMatch(
    /^1 failed: .*healthy was touched \d+ s ago, more than 30 s: the worker is unhealthy or stuck\n$/,
  );
  expect(await probe(100, '--max-age', '5m')).toMatch(/^0 ok /);
  expect(await probe(-3600, '--max-age=1m')).toMatch(
    /^1 failed: .* in the future.*the clock was set back\n$/,
  );
  const { stderr } = await lifesign(['probe', '--file', dir]);
  expect(stderr).toBe(`failed: ${dir} is not a regular file\n`);
});

test('HEALTH_FILE is what a worker in the same container has; what is given wins', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'lifesign-probe-'));
  closers.push(() => rmSync(dir, { recursive: true, force: true }));
  const HEALTH_FILE = join(dir, 'healthy');
  writeFileSync(HEALTH_FILE, '');
  const asked = async (args: string[], env: Record<string, string>) => {
    const { stdout, stderr } = await lifesign(['probe', ...args], { env });
    return stdout + stderr;
  };
  expect(await asked([], { HEALTH_FILE })).toMatch(/^ok .*healthy was touched/);
  expect(await asked(['--max-age', '1h'], { HEALTH_FILE })).toMatch(/^ok .*healthy/);
  expect(await asked(['--port', '1'], { HEALTH_FILE })).toContain('http://127.0.0.1:1/');
  expect(await asked(['http://127.0.0.1:1'], { HEALTH_FILE })).toContain('http://127.0.0.1:1/');
});

test.each([
  [['--file', 'x', 'http://localhost'], '--file checks no server; leave out the URL'],
  [['--file', 'x', '--port', '1'], '--file checks no server'],
  [['--file', 'x', '--path', '/'], '--file checks no server'],
  [['--file', 'x', '--insecure'], '--file checks no server'],
  [['--max-age', '5s'], '--max-age applies to a file; add --file FILE'],
  [['--file', 'x', '--max-age', 'soon'], '--max-age is "soon"; it must be a time'],
])('probe %j is refused', async (args, text) => {
  const { code, stderr } = await lifesign(['probe', ...args]);
  expect(code).toBe(1);
  expect(stderr).toContain(text);
});
