import { describe, expect, test } from 'vitest';
import { freePort } from '../../../test/services/port.js';
import { inProcess, lifesignCli } from '../run.js';
import { answering, type Described, fakePrometheus, type Handler, pointsOf } from './fake.js';
import { shop, thousand } from './fleets.js';

const look = (url: string, ...more: readonly string[]) => inProcess(['fleet', '--prometheus', url, ...more]);
const fleetOf = async (instances: readonly Described[], ...more: readonly string[]) => {
  const { url } = await fakePrometheus(answering(pointsOf(instances)));
  const { stdout, code } = await look(url, ...more);
  return { stdout: stdout.replaceAll(url, 'http://localhost:9090'), code };
};
const lineOf = (text: string, part: string) => text.split('\n').find((line) => line.includes(part));
const sending =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Handler =>
  (_req, res) =>
    res.writeHead(status, headers).end(body);

describe('the table', () => {
  test('says what is where, the sick first', async () => {
    const { stdout, code } = await fleetOf(shop);
    const rows = stdout.split('\n').filter((line) => /^ {2}\S /.test(line));
    expect(rows.map((row) => row.trim().split(/ +/).slice(1, 3))).toEqual([
      ['down', '10.0.0.4:8000'],
      ['error', '10.0.0.3:8000'],
      ['draining', '10.0.0.2:8000'],
      ['gone', '10.0.0.5:8000'],
      ['ok', '10.0.0.1:8000'],
      ['ok', '10.0.1.1:8000'],
    ]);
    expect(lineOf(stdout, 'rollout')).toContain('rollout 2 of 4 (50 %) on 1.4.2 9f3c21a4b0d1');
    expect(stdout).toContain('error check_database_connected health.E001\n');
    expect(stdout).toContain('info disk shop.I001\n');
    // Once for each id of lifesign's own, however many instances report it.
    expect(stdout.match(/^More: .*$/gm)).toEqual(['More: npx lifesign-cli explain health.E001']);
    expect(code).toBe(1);
  });

  test('all is well: one build, no rollout, exit code 0', async () => {
    const { stdout, code } = await fleetOf(shop.filter(({ job }) => job === 'mail'));
    expect(stdout).not.toContain('rollout');
    expect(stdout).toContain('1 service, 1 instance: all ok\n');
    expect(code).toBe(0);
  });

  test('one that leaves or is gone makes nothing fail, as in every rollout; without one that is ok it does', async () => {
    const leaving = shop.filter((it) => it.draining === true || it.gone !== undefined);
    const well = shop.filter(({ job }) => job === 'mail');
    expect([(await fleetOf([...leaving, ...well])).code, (await fleetOf(leaving)).code]).toEqual([0, 1]);
  });

  test('nothing found is not well', async () => {
    const { stdout, code } = await fleetOf([]);
    expect(stdout).toContain('No instances: Prometheus has no series lifesign_build_info');
    expect(code).toBe(1);
  });

  test('a thousand instances stay readable; --all lists each', async () => {
    const few = await fleetOf(thousand());
    expect(few.stdout).toContain('and 80 more, all ok: --all lists them');
    expect(few.stdout.split('\n').length).toBeLessThan(300);
    const all = await fleetOf(thousand(), '--all');
    for (const { instance } of thousand()) expect(all.stdout).toContain(` ${instance} `);
  });

  test('--by groups by another label', async () => {
    const { stdout } = await fleetOf(
      [
        { job: 'a', instance: 'x:1', labels: { team: 'blue' } },
        { job: 'b', instance: 'x:2', labels: { team: 'blue' } },
        { job: 'c', instance: 'x:3' },
      ],
      '--by',
      'team',
    );
    expect(stdout).toContain('\nblue  2 instances: all ok\n');
    expect(stdout).toContain('\n(no name)  1 instance: all ok\n');
  });

  test('a terminal gets colours; NO_COLOR leaves them out', async () => {
    const { url } = await fakePrometheus(answering(pointsOf(shop)));
    let stdout = '';
    const output = { write: (text: string) => (stdout += text), isTTY: true };
    await inProcess(['fleet', '--prometheus', url], { stdout: output, env: { TERM: 'xterm' } });
    expect(stdout).toContain('\u001B[31m');
    stdout = '';
    await inProcess(['fleet', '--prometheus', url], { stdout: output, env: { NO_COLOR: '1' } });
    expect(stdout).not.toContain('\u001B');
  });

  test('the address of the environment', async () => {
    const { url } = await fakePrometheus(answering(pointsOf(shop)));
    const { stdout, code } = await lifesignCli(['fleet'], { env: { PROMETHEUS_URL: url } });
    expect(stdout).toContain('2 services, 6 instances');
    expect(code).toBe(1);
  });
});

test('--json has it all', async () => {
  const { stdout, code } = await fleetOf(shop, '--json');
  const { services, time, counts } = JSON.parse(stdout);
  expect([code, time, counts.down]).toEqual([1, '2026-11-15T12:00:00.000Z', 1]);
  expect(services[0].instances[1]).toEqual({
    name: '10.0.0.3:8000',
    state: 'failing',
    status: 'error',
    draining: false,
    build: { version: '1.4.2', commit: '9f3c21a4b0d19f3c21a4b0d19f3c21a4b0d19f3c' },
    since: '2026-11-15T11:56:00.000Z',
    seen: '2026-11-15T11:59:58.000Z',
    findings: [
      {
        check: 'check_database_connected',
        status: 'error',
        ids: ['health.E001'],
      },
      { check: 'disk', status: 'info', ids: ['shop.I001'] },
    ],
  });
});

test('five queries, however many instances there are, and only GET', async () => {
  const fake = await fakePrometheus(answering(pointsOf(thousand())));
  await look(fake.url, '--match', 'env=pro"d\\');
  expect(fake.requests.map(({ method }) => method)).toEqual(Array(5).fill('GET'));
  expect(new Set(fake.queries).size).toBe(5);
  // Every selector of every query has the label, quoted.
  for (const query of fake.queries) {
    const selectors = query.match(/(?:\bup|lifesign_[a-z_]+(?=[{ )[]|$)|^)(?:\{|(?=[ )[]|$))/g) ?? [];
    expect(selectors.length).toBeGreaterThan(0);
    expect(selectors.filter((selector) => !selector.endsWith('{'))).toEqual([]);
    expect(query.split('env="pro\\"d\\\\"').length - 1).toBe(selectors.length);
  }
});

describe('a Prometheus that does not answer as it should', () => {
  const html = { 'Content-Type': 'text/html' };
  const json = { 'Content-Type': 'application/json' };
  const cases: [string, Handler, string][] = [
    [
      'basic authentication',
      sending(401, ''),
      "asks for credentials (401). Write http://USER:PASSWORD@HOST or --header 'Authorization: Bearer TOKEN'.",
    ],
    ['wrong credentials', sending(403, 'no'), 'rejected these credentials (403).'],
    [
      'a path prefix',
      sending(404, '404 page not found'),
      'has no /api/v1/query (404). If it is served under a path, include it: http://HOST/prometheus.',
    ],
    [
      'a redirect',
      sending(302, '', { Location: 'https://u:hunter2@login.example/?next=1' }),
      'redirects to https://***@login.example/?next=1 (302). Use the address it redirects to.',
    ],
    ...['{}', '[null]', '[{"metric":{},"value":7}]', '[{"metric":{},"value":["1","1"]}]'].map(
      (result): [string, Handler, string] => [
        `the result ${result}`,
        sending(200, `{"status":"success","data":{"resultType":"vector","result":${result}}}`, json),
        'sent JSON that is not a query result. Is it Prometheus?',
      ],
    ),
    [
      'a login page',
      sending(200, '<html>Log in</html>', html),
      'did not answer with JSON (content-type: text/html). Is it Prometheus, or a login page?',
    ],
    [
      'another API',
      sending(200, '{"items":[]}', json),
      'sent JSON that is not a query result. Is it Prometheus?',
    ],
    [
      'its own refusal',
      sending(
        422,
        '{"status":"error","errorType":"execution","error":"query processing would load too many samples into memory"}',
        json,
      ),
      'answered 422: query processing would load too many samples into memory',
    ],
    ['a gateway', sending(502, '<html>Bad gateway</html>', html), 'answered 502.'],
    [
      'a closed connection',
      (_req, res) => res.destroy(),
      'did not answer: the server closed the connection (ECONNRESET).',
    ],
    [
      'tricks',
      sending(400, JSON.stringify({ error: '\u001B[2J\u0007\u202E<b>' }), json),
      'answered 400: \\u001b[2J\\u0007\\u202e<b>',
    ],
  ];
  test.each(cases)('%s', async (_name, handler, sentence) => {
    const { url } = await fakePrometheus(handler);
    const { code, stdout, stderr } = await look(url);
    expect(stderr).toBe(`lifesign-cli fleet: Prometheus at ${url} ${sentence}\n`);
    expect([code, stdout]).toEqual([1, '']);
  });

  test('one query of six that fails is told, too', async () => {
    const well = answering(pointsOf(shop));
    const { url } = await fakePrometheus((req, res, question) =>
      question === 'messages' ? sending(500, '')(req, res, question) : well(req, res, question),
    );
    expect((await look(url)).stderr).toContain('answered 500.');
  });

  test('silence ends with --timeout', async () => {
    const { url } = await fakePrometheus(() => {});
    const { code, stderr } = await look(url, '--timeout', '200ms');
    expect([code, stderr]).toEqual([
      1,
      `lifesign-cli fleet: Prometheus at ${url} did not answer within 200 ms. Use --timeout to wait longer.\n`,
    ]);
  });

  test('nothing listens', async () => {
    const port = await freePort();
    expect((await look(`http://127.0.0.1:${port}`)).stderr).toBe(
      `lifesign-cli fleet: Prometheus at http://127.0.0.1:${port} did not answer: the connection was refused, nothing is listening there (ECONNREFUSED 127.0.0.1:${port}).\n`,
    );
    expect((await look('http://fleet.invalid:9090')).stderr).toMatch(
      /did not answer: the host name (does not exist|cannot be looked up now) \((ENOTFOUND|EAI_AGAIN) fleet\.invalid\)\.\n$/,
    );
  });

  test('endless answers are left at 32 MiB in all', async () => {
    const piece = Buffer.alloc(1 << 20, 32);
    let sent = 0;
    const { url } = await fakePrometheus((_req, res) => {
      const more = () => {
        while (!res.destroyed && res.write(piece)) sent += piece.length;
      };
      res
        .writeHead(200)
        .on('drain', more)
        .on('error', () => {});
      more();
    });
    const { stderr } = await look(url, '--timeout', '30s');
    expect(stderr).toContain(
      'sent more than 120,000 series or 32 MiB. Narrow the query: --match LABEL=VALUE.',
    );
    expect(sent).toBeLessThan(6 * 64 * (1 << 20));
  });

  test('what a part of it could not say is told', async () => {
    const { url } = await fakePrometheus((_req, res) =>
      res.end(
        '{"status":"success","warnings":["store a: \\u001b[31mgone"],"data":{"resultType":"vector","result":[]}}',
      ),
    );
    expect((await look(url)).stdout).toContain('Prometheus warns: store a: \\u001b[31mgone\n');
  });
});

describe('credentials', () => {
  const secrets = /hunter2|aHVudGVy|s3cr3t|tok/;
  const echo: Handler = (req, res) =>
    sending(400, JSON.stringify({ error: JSON.stringify(req.headers) }))(req, res, 'checks');

  test('of the URL are sent as basic authentication and never printed', async () => {
    const fake = await fakePrometheus(answering(pointsOf(shop)));
    const url = fake.url.replace('http://', 'http://ops:hunter2%40x@');
    const { stdout } = await look(`${url}/graph?g0.expr=up`);
    expect(fake.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('ops:hunter2@x').toString('base64')}`,
    );
    expect(fake.requests[0]?.url).toMatch(/^\/api\/v1\/query\?query=/);
    expect(stdout).toContain(fake.url);
    expect(stdout).not.toMatch(secrets);
  });

  test('are not printed where the server repeats them', async () => {
    const fake = await fakePrometheus(echo);
    const url = fake.url.replace('http://', 'http://ops:hunter2@');
    const { stderr } = await look(url, '--header', 'X-Key: s3cr3t value', '--header', 'Cookie: tok');
    expect(stderr).toContain('answered 400: {');
    expect(stderr).not.toMatch(secrets);
    expect(fake.requests[0]?.headers['x-key']).toBe('s3cr3t value');
  });

  test('of --header come before those of the URL; a path prefix stays', async () => {
    const fake = await fakePrometheus(answering(pointsOf(shop)));
    await look(
      `${fake.url.replace('http://', 'http://a:b@')}/prometheus/`,
      '--header',
      'Authorization: Bearer tok',
    );
    expect(fake.requests[0]?.headers.authorization).toBe('Bearer tok');
    expect(fake.requests[0]?.url).toMatch(/^\/prometheus\/api\/v1\/query\?/);
  });
});

test.each([
  [[], '--prometheus URL is missing'],
  [['http://localhost:9090'], 'lifesign-cli fleet takes only options; write the address after --prometheus'],
  [['--prometheus', 'u:hunter2@localhost'], 'The address of Prometheus'],
  [['--prometheus', 'http://x', '--match', 'env'], '--match takes LABEL=VALUE, not "env"'],
  [['--prometheus', 'http://x', '--match', 'a-b=1'], '--match: "a-b" is not a label name'],
  [['--prometheus', 'http://x', '--by', '} or up'], '--by: "} or up" is not a label name'],
  [
    ['--prometheus', 'http://x', '--header', 'hunter2'],
    '--header is not a header; write --header "Name: value"',
  ],
  [
    ['--prometheus', 'http://x', '--header', 'A: b\r\nC: hunter2'],
    '--header is not a header; write --header "Name: value"',
  ],
  [['--prometheus', 'http://x', '--window', 'soon'], '--window is "soon"; it must be a time such as'],
])('misuse: %j', async (args, sentence) => {
  const { code, stderr } = await inProcess(['fleet', ...args]);
  expect([code, stderr.split('. See')[0]]).toEqual([2, expect.stringContaining(sentence)]);
  expect(stderr).not.toContain('hunter2');
});
