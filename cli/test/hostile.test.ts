import { afterAll, describe, expect, test } from 'vitest';
import { start } from './broken/service.js';
import { type Behaviour, behaviours, hostile, measured, unprinted } from './hostile.js';
import { chosen, whole } from '../../test/whole.js';

// Ending at all is the promise: a command that hangs fails its test by time. A node that does nothing takes 45 MB.
const maxMegabytes = 250;
const right: Behaviour = (socket, request) => behaviours['the right answer']?.(socket, request);

const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

async function attacked(choose: Parameters<typeof hostile>[0]) {
  const server = await hostile(choose);
  closers.push(server.close);
  return server;
}

describe('verify ends, with bounded memory, a clear line and nothing for the terminal', () => {
  const verify = async (choose: Parameters<typeof hostile>[0], timeout: string, ...args: string[]) => {
    const server = await attacked(choose);
    const url = `http://user:hunter2@127.0.0.1:${server.port}/?token=hunter2`;
    const outcome = await measured(['verify', url, '--strict', '--timeout', timeout, ...args]);
    expect(outcome.stdout + outcome.stderr).not.toMatch(unprinted);
    expect(outcome.stdout + outcome.stderr).not.toContain('hunter2');
    expect(outcome.megabytes).toBeLessThan(maxMegabytes);
    expect(server.requests()).toBeLessThanOrEqual(70);
    expect(outcome.stderr).toBe('');
    return outcome;
  };

  const names = Object.keys(behaviours).filter((name) => name !== 'the right answer');
  const cases = names.flatMap((name) =>
    ['on every request', 'on all but the first of each endpoint'].map((when) => ({ name, when })),
  );
  const few = cases.filter(({ name }) =>
    /^(?:silence|a dripping body|an endless head|a gzip bomb|a nest|tricks in a status)$/.test(name),
  );
  test.concurrent.each(whole ? cases : few)('$name: $when', async ({ name, when }) => {
    const behaviour = behaviours[name] ?? right;
    // What never ends is waited for in vain.
    const timeout = /drip|silence|endless|flood|beyond/.test(name) ? '100ms' : '3s';
    if (when === 'on every request') {
      expect(await verify(() => behaviour, timeout)).toMatchObject({ code: 1 });
      return;
    }
    const seen = new Set<string>();
    const outcome = await verify(
      (request) => {
        const [line = ''] = request.split('\r\n');
        const first = !seen.has(line);
        seen.add(line);
        return first && /^GET \S+__ /.test(line) ? right : behaviour;
      },
      timeout,
      '--json',
    );
    expect(outcome.code).toBe(1);
    const { results }: { results: { reason: string }[] } = JSON.parse(outcome.stdout);
    for (const { reason } of results) expect(reason.length).toBeLessThanOrEqual(600);
  });

  test.each(chosen(['an endless body', 'an endless head', 'an endless failure'], 'an endless body'))(
    '%s, with all the time to fill the memory',
    async (name) => {
      const server = await attacked(() => behaviours[name] ?? right);
      const url = `http://127.0.0.1:${server.port}`;
      const { megabytes, stdout } = await measured(['verify', url, '--timeout', '5s']);
      expect(megabytes).toBeLessThan(maxMegabytes);
      expect(stdout).toContain('1 failed');
    },
  );

  test('fifteen slow answers of each endpoint are waited for, and no more', async () => {
    const seen = new Set<string>();
    const server = await attacked((request) => {
      const [line = ''] = request.split('\r\n');
      const first = !seen.has(line);
      seen.add(line);
      return first && /^GET \S+__ /.test(line) ? right : () => {};
    });
    const { stdout } = await measured(['verify', `http://127.0.0.1:${server.port}`, '--timeout', '200ms']);
    // Of 70 requests.
    expect(server.requests()).toBeLessThan(60);
    expect(stdout).toContain('no answer within 200 ms');
  });
});

test('a heartbeat that takes long each time is judged like any other', async () => {
  const service = await start((answer, { path }) => {
    if (path.startsWith('/__heartbeat__')) answer.delay = 280;
  });
  const { stdout } = await measured(['verify', service.url, '--strict', '--timeout', '500ms']);
  await service.close();
  expect(stdout).toContain(' 0 failed');
});

const few = 10;
const groups = Object.keys(behaviours).flatMap((_, index, names) =>
  index % few === 0 ? [names.slice(index, index + few)] : [],
);
test.each(whole ? groups : groups.slice(1, 2))(
  'wait ends in time, with bounded memory and nothing for the terminal: %s and others at once',
  async (...names) => {
    const servers = await Promise.all(names.map((name) => attacked(() => behaviours[name] ?? right)));
    const urls = servers.map(({ port }) => `http://user:hunter2@127.0.0.1:${port}/?token=hunter2`);
    const asked = ['--commit', '22222222', '--healthy', '--for', '1s', '--timeout', '2s'];
    const format = names.length % 2 === 0 ? [] : ['--json'];
    const { code, stdout, stderr, megabytes } = await measured(['wait', ...urls, ...asked, ...format]);
    expect(code).toBe(1);
    expect(stdout + stderr).not.toMatch(unprinted);
    expect(stdout + stderr).not.toContain('hunter2');
    expect(megabytes).toBeLessThan(maxMegabytes);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThan(3000);
  },
);

describe('probe ends, with bounded memory, one line and nothing for the terminal', () => {
  const probe = async (choose: Parameters<typeof hostile>[0]) => {
    const server = await attacked(choose);
    const outcome = await measured(['probe', '--port', server.port, '--timeout', '300ms']);
    const output = outcome.stdout + outcome.stderr;
    expect(output).toMatch(/^(?:ok|failed:) .*\n$/);
    expect(output).not.toMatch(unprinted);
    expect(output.length).toBeLessThan(4000);
    expect(outcome.megabytes).toBeLessThan(maxMegabytes);
    expect(outcome.code).toBe(output.startsWith('ok') ? 0 : 1);
    return outcome;
  };

  test.concurrent.each(
    chosen(
      Object.entries(behaviours),
      'a dripping head',
      'an endless body',
      'a gzip bomb',
      'tricks in a status',
    ),
  )('%s', async (_, behaviour) => {
    await probe(() => behaviour);
  });

  test.each(['ftp://u:hunter2@h', 'u:hunter2@h', 'http://u:hunter2@h:99999/', 'http://u:hun/ter2@h'])(
    'an address that is wrong is told without its password: %s',
    async (address) => {
      const { code, stderr } = await measured(['probe', address, '--timeout', '300ms']);
      expect(code).toBe(1);
      expect(stderr).not.toMatch(/hun|ter2/);
    },
  );
});

test.each(['ftp://u:hunter2@h', 'u:hunter2@h', 'http://u:hunter2@h:99999/'])(
  'verify tells an address that is wrong without its password: %s',
  async (address) => {
    const { code, stderr } = await measured(['verify', address]);
    expect(code).toBe(2);
    expect(stderr).not.toContain('hunter2');
  },
);
