import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { terminalTricks } from '../hostile.js';
import { inProcess, lifesignCli } from '../run.js';
import { type Rolled, serviceOf } from './rollout.js';

const old = '1111111111111111111111111111111111111111';
const fresh = '2222222222222222222222222222222222222222';

const closes: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closes.splice(0)) close();
});

async function started(commit = fresh): Promise<Rolled> {
  const service = await serviceOf(commit);
  closes.push(() => service.close());
  return service;
}

describe('what must hold', () => {
  test('up: the load balancer is answered, and nothing else is asked', async () => {
    const service = await started();
    const { code, stdout } = await inProcess(['wait', service.url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^done after \d+ms: 1 of 1 up\n$/);
    expect(service.requests.map(({ path }) => path)).toEqual(['/__lbheartbeat__']);
  });

  test.each([
    ['the whole commit', fresh],
    ['its beginning', '2222'],
    ['in capitals', fresh.toUpperCase()],
  ])('the build, by %s', async (_, commit) => {
    const service = await started();
    const { code, stdout } = await inProcess(['wait', service.url, '--commit', commit, '--for', '0']);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`1 of 1 run ${commit}`)]);
  });

  test('a service that shows a short commit is recognised by the whole one', async () => {
    const service = await started(fresh.slice(0, 7));
    expect((await inProcess(['wait', service.url, '--commit', fresh, '--for', '0'])).code).toBe(0);
  });

  test.each([
    [['--commit', old], `still runs ${fresh}`],
    [['--version', '2.0.0'], 'still runs version 1.0.0'],
    [['--commit', fresh, '--version', '2.0.0'], 'still runs version 1.0.0'],
    [['--commit', '22223'], `still runs ${fresh}`],
  ])('%j is not there: 1, and what runs instead', async (wanted, text) => {
    const service = await started();
    const { code, stdout } = await inProcess([
      'wait',
      service.url,
      ...wanted,
      '--for',
      '0',
      '--timeout',
      '300ms',
    ]);
    expect(code).toBe(1);
    expect(stdout).toContain(`0 of 1: ${service.url} ${text}`);
    expect(stdout).toContain(`  ✗ ${service.url}  ${text}`);
  });

  test('healthy: the checks that fail are named, those that do not are not', async () => {
    const service = await started();
    service.failing = ['check_migrations_applied', 'check_database_connected'];
    const { code, stdout } = await inProcess(['wait', service.url, '--healthy', '--timeout', '300ms']);
    expect(code).toBe(1);
    expect(stdout).toContain('heartbeat 500: check_migrations_applied, check_database_connected\n');
  });

  test('one of several keeps the others waiting, and is the one that is named', async () => {
    const [shop, api] = [await started(), await started(old)];
    api.failing = ['check_migrations_applied'];
    const args = [
      'wait',
      shop.url,
      api.url,
      '--commit',
      fresh,
      '--healthy',
      '--for',
      '0',
      '--timeout',
      '1600ms',
    ];
    const { code, stdout } = await inProcess(args);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `1 of 2: ${api.url} still runs ${old}, heartbeat 500: check_migrations_applied\n`,
    );
    expect(stdout).toContain(`  ✓ ${shop.url}  ok`);
  });
});

describe('answers that are none', () => {
  test.each<[string, (service: Rolled) => void, string]>([
    [
      'a login page for everything',
      (service) => {
        service.instead = (_, response) => response.end('<html>Log in</html>');
      },
      'heartbeat 200 without a JSON object',
    ],
    [
      'a redirect',
      (service) => {
        service.instead = (_, response) =>
          response.writeHead(302, { Location: 'https://login.example.org/' }).end();
      },
      'heartbeat 302, which redirects to https://login.example.org/',
    ],
    ['nothing listens', (service) => service.close(), 'no answer: '],
    [
      'escape sequences in the names of checks',
      (service) => {
        service.failing = [terminalTricks];
      },
      'heartbeat 500: \\u001b[31m',
    ],
  ])('%s', async (_, spoil, text) => {
    const service = await started();
    spoil(service);
    const { code, stdout } = await inProcess(['wait', service.url, '--healthy', '--timeout', '300ms']);
    expect(code).toBe(1);
    expect(stdout).toContain(text);
    expect(stdout).not.toContain('\u001B');
  });

  test('a service that comes later is waited for', async () => {
    const service = await started();
    service.close();
    const waiting = inProcess(['wait', service.url, '--timeout', '30s']);
    setTimeout(
      () => void serviceOf(fresh, service.port).then((later) => closes.push(() => later.close())),
      300,
    );
    const { code, stdout } = await waiting;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ +\d+ms {2}0 of 1: http:\/\/127\.0\.0\.1:\d+ no answer: .*\ndone after/);
  });
});

test('every answer counts: a load balancer that alternates between two builds is not done', async () => {
  const service = await started();
  let turn = 0;
  service.instead = (_, response) => response.end(JSON.stringify({ commit: (turn += 1) % 2 ? fresh : old }));
  const args = ['wait', service.url, '--commit', fresh, '--for', '2s', '--timeout', '4500ms', '--json'];
  const { code, stdout } = await inProcess(args);
  expect(code).toBe(1);
  const { services } = JSON.parse(stdout);
  expect(services[0].builds[old]).toBeGreaterThanOrEqual(1);
  expect(services[0].builds[fresh]).toBeGreaterThanOrEqual(1);
});

test('a service is asked no more than once a second', async () => {
  const service = await started(old);
  await inProcess(['wait', service.url, '--commit', fresh, '--healthy', '--for', '0', '--timeout', '3500ms']);
  const gaps = service.requests.slice(1).map(({ at }, index) => at - (service.requests[index]?.at ?? 0));
  expect(gaps.length).toBeGreaterThanOrEqual(1);
  // The clock of a timer and that of the request may differ by a little.
  expect(Math.min(...gaps)).toBeGreaterThan(950);
});

test('headers and credentials are sent and shown nowhere', async () => {
  const service = await started(old);
  const url = service.url.replace('//', '//deploy:hunter2@');
  const args = [
    'wait',
    url,
    '--commit',
    fresh,
    '--for',
    '0',
    '--timeout',
    '300ms',
    '--header',
    'X-Token: s3cr3t',
  ];
  const { stdout, stderr } = await inProcess(args);
  expect(service.requests[0]?.headers).toMatchObject({
    'x-token': 's3cr3t',
    authorization: `Basic ${Buffer.from('deploy:hunter2').toString('base64')}`,
  });
  expect(stdout + stderr).not.toMatch(/hunter2|s3cr3t/);
});

describe('a proxy of the environment', () => {
  /** Counts what it is asked; tunnels and forwards to where it is told. */
  async function proxy() {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
      response.end(JSON.stringify({ status: 'ok', authorization: request.headers.authorization }));
    });
    server.on('connect', (request, socket) => {
      asked.push(`CONNECT ${request.url}`);
      const [host, port] = (request.url ?? '').split(':');
      const onward = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closes.push(() => server.close());
    return { asked, port: (server.address() as AddressInfo).port };
  }

  test('http: the proxy gets the whole address and its own credentials', async () => {
    const { asked, port } = await proxy();
    const env = { HTTP_PROXY: `http://me:pass@127.0.0.1:${port}` };
    const { code } = await inProcess(['wait', 'http://shop.invalid:81/base'], { env });
    expect(code).toBe(0);
    const pair = Buffer.from('me:pass').toString('base64');
    expect(asked).toEqual([`GET http://shop.invalid:81/base/__lbheartbeat__ Basic ${pair}`]);
  });

  test('https: a tunnel, in which TLS begins', async () => {
    const { asked, port } = await proxy();
    const service = await started();
    const env = { https_proxy: `127.0.0.1:${port}` };
    const url = `https://127.0.0.1:${service.port}`;
    const { code, stdout } = await inProcess(['wait', url, '--timeout', '500ms'], { env });
    expect([code, asked]).toEqual([1, [`CONNECT 127.0.0.1:${service.port}`]]);
    // It speaks no TLS.
    expect(stdout).toContain('no answer: ');
  });

  test.each(['127.0.0.1', '*', 'example.org, 127.0.0.1', '127.0.0.1:PORT'])('NO_PROXY=%s', async (list) => {
    const { asked, port } = await proxy();
    const service = await started();
    const env = {
      http_proxy: `http://127.0.0.1:${port}`,
      NO_PROXY: list.replace('PORT', String(service.port)),
    };
    expect((await inProcess(['wait', service.url], { env })).code).toBe(0);
    expect(asked).toEqual([]);
  });

  test('one that cannot be used is named, without its password', async () => {
    const env = { HTTPS_PROXY: 'socks5://me:hunter2@proxy:1080' };
    const { code, stderr } = await inProcess(['wait', 'https://shop.invalid'], { env });
    expect(code).toBe(2);
    expect(stderr).toBe(
      'lifesign-cli: HTTPS_PROXY is "***@proxy:1080"; it must be the URL of an HTTP proxy such as http://proxy:3128; to bypass it, unset it or add the host to NO_PROXY. (LIFESIGN_URL)\nMore: npx lifesign-cli explain LIFESIGN_URL\n',
    );
  });
});

test('--all-addresses asks every address of a name, each with the name as its Host', async () => {
  const service = await started();
  const url = `http://localhost:${service.port}`;
  const { code, stdout } = await inProcess(['wait', url, '--all-addresses', '--timeout', '900ms', '--json']);
  const { services }: { services: { url: string; ok: boolean }[] } = JSON.parse(stdout);
  const onFour = services.find(({ url: shown }) => shown === `${url} (127.0.0.1)`);
  expect(onFour?.ok).toBe(true);
  // Where localhost is ::1 too, nothing listens there.
  expect(code).toBe(services.every(({ ok }) => ok) ? 0 : 1);
  expect(service.requests[0]?.headers['host']).toBe(`localhost:${service.port}`);
});

test('a table for GitHub Actions', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'lifesign-wait-'));
  closes.push(() => rmSync(cwd, { recursive: true, force: true }));
  const service = await started();
  service.failing = ['a|b', '<img src=x>'];
  const file = join(cwd, 'summary.md');
  const env = { GITHUB_STEP_SUMMARY: file };
  await inProcess(['wait', service.url, '--healthy', '--timeout', '300ms'], { env });
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('| service | last seen |\n|---|---|\n| http://127.0.0.1:');
  expect(text).toContain('❌ heartbeat 500: a\\|b, &#60;img src=x&#62; |');
  const { code, stderr } = await inProcess(['wait', service.url], { env: { GITHUB_STEP_SUMMARY: cwd } });
  expect([code, stderr]).toEqual([0, expect.stringContaining('GITHUB_STEP_SUMMARY cannot be written')]);
});

test.each([
  [[], 'A URL is missing'],
  [['ftp://x'], 'The address is "ftp://x"; it must be a URL such as http://localhost:8000'],
  [['http://x', 'http://x/'], 'The same URL was given twice'],
  [['http://x', '--commit', ''], '--commit is empty; check that the variable you pass is set'],
  [
    ['http://x', '--commit', 'abc'],
    '--commit is "abc"; it must be a commit or at least its first four characters',
  ],
  [['http://x', '--version', ' '], '--version is empty'],
  [['http://x', '--for', '10m'], '--for is 10m, which does not fit into --timeout 5m'],
  [['http://x', '--for', 'soon'], '--for is "soon"; it must be a time such as 500ms, 3s or 10m'],
  [['http://x', '--header', 'no colon'], '--header is not a header; write --header "Name: value"'],
  [['http://x', '--header', 'A: b\nc: d'], '--header is not a header'],
])('misuse: %j', async (args, text) => {
  const { code, stderr, stdout } = await inProcess(['wait', ...args]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(text);
});

test('the built command ends by itself', async () => {
  const service = await started();
  const { code, stdout } = await lifesignCli(['wait', service.url, '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ done: true, services: [{ url: service.url, ok: true }] });
});
