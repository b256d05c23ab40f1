import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../services/port.js';
import { chosen, whole } from '../whole.js';
import { root, snippetsOf } from './snippets.js';

await mkdir(join(root, '.tmp'), { recursive: true });
// Inside the repository: there `lifesign/…` is this package and the peers are installed.
const scratch = await mkdtemp(join(root, '.tmp/migrating-'));
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
});

interface Program {
  /** Asks for a path and gives the status, 0 if there was no answer. */
  readonly ask: (path: string) => Promise<number>;
  readonly text: (path: string) => Promise<string>;
  readonly missUploads: () => Promise<void>;
  readonly haveUploads: () => Promise<void>;
  readonly terminate: () => void;
  /** How it ended: the exit code, or the signal. */
  readonly ended: Promise<number | string>;
  readonly output: () => string;
}

let count = 0;

/** Runs a program of a page as it is written there, as in a pod that has a folder for uploads. */
async function run(code: string, probePort: 'own' | 'application'): Promise<Program> {
  const directory = join(scratch, String((count += 1)));
  const uploads = join(directory, 'uploads');
  await mkdir(uploads, { recursive: true });
  await writeFile(join(directory, 'server.mjs'), code);
  const [port, own] = [await freePort(), await freePort()];
  const child: ChildProcess = spawn(process.execPath, ['server.mjs'], {
    cwd: directory,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      // lightship takes signals in a cluster only.
      KUBERNETES_SERVICE_HOST: '10.0.0.1',
      PORT: String(port),
      LIGHTSHIP_PORT: String(own),
      DRAIN_DELAY: '1500',
    },
  });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal);
  children.push(child);
  const fetched = (path: string) => {
    const at = path !== '/' && probePort === 'own' ? own : port;
    return fetch(`http://127.0.0.1:${at}${path}`, { headers: { connection: 'close' } });
  };
  const program: Program = {
    ask: (path) =>
      fetched(path).then(
        async (reply) => (await reply.text(), reply.status),
        () => 0,
      ),
    text: async (path) => (await fetched(path)).text(),
    missUploads: () => rm(uploads, { recursive: true }),
    haveUploads: () => mkdir(uploads),
    terminate: () => void child.kill('SIGTERM'),
    ended,
    output: () => output,
  };
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`The program ended:\n${output}`);
    return (await program.ask('/')) === 200;
  });
  return program;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let left = 400; !(await holds()); left -= 1) {
    if (left === 0) throw new Error('It never came to be');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const becomes = (program: Program, path: string, status: number) =>
  until(async () => (await program.ask(path)) === status);

/** A program with the peer, and those of its section in docs/migrating.md. */
async function programsOf(peer: string, file: string): Promise<[string, string, ...string[]]> {
  const before = await readFile(join(import.meta.dirname, `migrating/${file}.mjs`), 'utf8');
  const page = await readFile(join(root, 'docs/migrating.md'), 'utf8');
  const section = page.split(/^## From /m).find((part) => part.startsWith(`${peer}\n`)) ?? '';
  const [after, ...others] = (await snippetsOf('docs/migrating.md'))
    .filter(({ language, note, code }) => language === 'js' && note === '' && section.includes(code))
    .map(({ code }) => code);
  if (after === undefined) throw new Error(`${peer} has no program`);
  // The page migrates from the peer, to us.
  expect([/'lifesign\//.test(before), /'lifesign\//.test(after)]).toEqual([false, true]);
  return [before, after, ...others];
}

/** A request under way, then the signal, then what the probe says while the process goes on answering. */
async function drain(program: Program, path: string) {
  const underWay = program.ask('/');
  await new Promise((resolve) => setTimeout(resolve, 50));
  program.terminate();
  let probe = 200;
  await until(async () => (probe = await program.ask(path)) !== 200);
  const meanwhile = await program.ask('/');
  return { underWay: await underWay, probe, meanwhile, exit: await program.ended };
}

describe.concurrent('@godaddy/terminus', async () => {
  const [before, after] = await programsOf('@godaddy/terminus', 'godaddy-terminus');

  // That the other library does what the page says of it, `npm run test:whole` tries.
  const programs = [
    ['before', before],
    ['after', after],
  ] as const;
  test.each(chosen(programs, 'after'))(
    '%s: the path of the manifests answers, fails with a check, and drains',
    async (when, code) => {
      const program = await run(code, 'application');
      expect(await program.ask('/healthcheck')).toBe(200);
      await program.missUploads();
      await becomes(program, '/healthcheck', 503);
      expect(await program.ask('/')).toBe(200);
      await program.haveUploads();
      await becomes(program, '/healthcheck', 200);
      // As the page says: with a query string it is a path of the application there.
      expect(await program.text('/healthcheck?full')).toBe(
        when === 'before' ? 'Hello, World!' : '{"status":"pass"}',
      );
      const news = [await program.ask('/livez'), await program.text('/readyz')];
      expect(news).toEqual(when === 'before' ? [200, 'Hello, World!'] : [200, '{"status":"pass"}']);
      expect(await drain(program, '/healthcheck')).toEqual({
        underWay: 200,
        probe: 503,
        meanwhile: 200,
        exit: 0,
      });
      expect(program.output()).toContain('closing the pools');
    },
  );
});

describe.concurrent('lightship', async () => {
  const [before, after] = await programsOf('lightship', 'lightship');

  const programs = [
    ['before', before, { failed: 500, live: 500, exit: [0, 1] }],
    ['after', after, { failed: 503, live: 200, exit: [0] }],
  ] as const;
  test.each(chosen(programs, 'after'))(
    '%s: the three paths answer on the port of their own, and drain',
    async (when, code, { failed, live, exit }) => {
      const program = await run(code, 'own');
      for (const path of ['/live', '/ready', '/health']) await becomes(program, path, 200);
      expect(await program.text('/ready')).toBe(when === 'before' ? 'SERVER_IS_READY' : '{"status":"pass"}');
      const drained = drain(program, '/ready');
      await becomes(program, '/health', failed);
      // As the page says: a process that is leaving is alive.
      expect(await program.ask('/live')).toBe(live);
      const { exit: code_, ...rest } = await drained;
      expect(rest).toEqual({ underWay: 200, probe: failed, meanwhile: 200 });
      expect(exit).toContain(code_);
    },
  );

  const calls = [
    ['lightship.signalReady()', before, 500],
    ['health.started()', after, 503],
  ] as const;
  test.each(chosen(calls, 'health.started()'))('it is not ready before %s', async (call, code, status) => {
    expect(code).toContain(call);
    const program = await run(code.replace(call, 'undefined'), 'own');
    for (const path of ['/ready', '/health']) expect(await program.ask(path)).toBe(status);
    expect(await program.ask('/live')).toBe(200);
  });
});

describe.concurrent('@fastify/under-pressure', async () => {
  const [before, after, both = ''] = await programsOf('@fastify/under-pressure', 'under-pressure');

  const programs = [
    ['before', before],
    ['after', after],
    ['both', both],
  ] as const;
  test.each(chosen(programs, 'after'))('%s: the status route fails with the check', async (when, code) => {
    const program = await run(code, 'application');
    // On a busy machine the loop is too slow while it starts.
    await becomes(program, '/status', 200);
    await program.missUploads();
    await becomes(program, '/status', 503);
    // As the page says: a failing check turns every request away there, and none here.
    if (when === 'before') await becomes(program, '/', 503);
    else expect(await program.ask('/')).toBe(200);
    await program.haveUploads();
    await becomes(program, '/status', 200);
    await becomes(program, '/', 200);
  });

  const limits = [
    ['maxRssBytes: 1_000_000_000', before, 503, 503],
    ['limit: 1_000_000_000', after, 503, 200],
    // Requests are turned away, and the probes still told what the checks say.
    ['maxRssBytes: 1_000_000_000', both, 200, 503],
  ] as const;
  test.each(chosen(limits, 'limit: 1_000_000_000'))(
    'too much memory, by %s',
    async (limit, code, status, application) => {
      expect(code).toContain(limit);
      const program = await run(code.replace(limit, limit.replace('1_000_000_000', '1')), 'application');
      await becomes(program, '/status', status);
      await becomes(program, '/', application);
    },
  );

  test('SIGTERM cuts a request before, and drains after', async () => {
    if (whole) {
      const old = await run(before, 'application');
      const cut = old.ask('/');
      await new Promise((resolve) => setTimeout(resolve, 50));
      old.terminate();
      expect([await cut, await old.ended]).toEqual([0, 'SIGTERM']);
    }
    const program = await run(after, 'application');
    expect(await drain(program, '/status')).toEqual({ underWay: 200, probe: 503, meanwhile: 200, exit: 0 });
  });
});
