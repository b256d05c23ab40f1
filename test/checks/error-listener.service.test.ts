import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { freePort } from '../services/port.js';
import { canStart, sharedService, startService } from '../services/index.js';
import { compiled } from '../compiled/index.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const page = readFileSync(here('../../README.md'), 'utf8');
const line = /^pool\.on\('error'.*\n/m;
/** The first example of the README, without its listener for errors. */
const example = (/```js\n(.*?)```/s.exec(page)?.[1] ?? '')
  .replace(line, '')
  .replace('new Health(', 'const health = new Health(');

/** A program that tells what it did, one line each, when it is asked to. */
async function run(program: string, env: Readonly<Record<string, string>>) {
  const file = compiled(here(`./listener-${process.pid}-${program.length}.mjs`));
  await writeFile(file, program);
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  const lines = (pattern: RegExp) => output.split('\n').filter((each) => pattern.test(each));
  return {
    lines,
    /** Asks for a step, and waits until it is done. */
    async ask(step: string) {
      const done = new RegExp(`^done ${step}`);
      const before = lines(done).length;
      child.send(step);
      await expect
        .poll(() => lines(done).length > before || child.exitCode !== null, { timeout: 30_000 })
        .toBe(true);
      expect(child.exitCode, output).toBeNull();
      return (lines(done).at(-1) ?? '').replace(done, '').trim();
    },
    async end() {
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await rm(file);
    },
  };
}

const steps = (own: string) => `
const steps = {
  async beat() { return JSON.stringify((await health.heartbeat()).results.map(({ status, messages }) => [status, ...messages.map(({ text }) => text)])); },
  close() { health.close(); },
  ${own}
};
process.on('message', async (step) => console.log('done', step, (await steps[step]()) ?? ''));
`;

const redis = sharedService('redis');
it.skipIf(!canStart('postgres') || redis === undefined)(
  'the first example of the README without a listener keeps one connection, and survives its database',
  async () => {
    expect(page).toMatch(line);
    const postgres = await startService('postgres');
    const program = `${example}
pool.on('connect', () => console.log('a new connection'));
${steps(`
  async hundred() { for (let count = 0; count < 100; count += 1) await health.heartbeat(); },
  async use() { await Promise.all([1, 2, 3].map(() => pool.query('SELECT pg_sleep(0.1)'))); },
  listeners() { return pool.listenerCount('error'); },`)}`;
    const app = await run(program, {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis ?? '',
      PORT: String(await freePort()),
    });
    const warnings = () => app.lines(/"logger":"health",.*"level":30|The pg pool lost a connection/);
    const beats = async (pattern: RegExp) =>
      expect.poll(() => app.ask('beat'), { timeout: 30_000, interval: 100 }).toMatch(pattern);
    try {
      await app.ask('hundred');
      // The first may be over before the listener is there.
      expect(app.lines(/^a new connection/).length).toBeLessThanOrEqual(2);
      expect(warnings()).toEqual([]);
      for (let round = 0; round < 2; round += 1) {
        await app.ask('use');
        await postgres.kill();
        await beats(/Cannot connect to the database: connection refused/);
        expect(warnings()).toEqual([expect.stringContaining("Write pool.on('error'")]);
        await postgres.restart();
        await beats(/^\[\["ok"\],\["ok"\]\]/);
      }
      expect(await app.ask('listeners')).toBe('1');
      await app.ask('close');
      expect(await app.ask('listeners')).toBe('0');
    } finally {
      await app.end();
      await postgres.stop();
    }
  },
  120_000,
);

it.skipIf(!canStart('redis'))(
  'clients of redis 4, 5 and 6 without a listener survive their server',
  async () => {
    const server = await startService('redis');
    const url = JSON.stringify({ url: server.url });
    const program = `import { Health } from 'lifesign/express';
import { createClient, createClientPool } from 'redis';
import { createClient as create4 } from 'redis4';
import { createClient as create6 } from 'redis6';
const redis = { four: create4(${url}), five: createClient(${url}), six: create6(${url}), pool: createClientPool(${url}) };
const health = new Health({ redis, timeout: 1000 });
for (const client of Object.values(redis)) await client.connect();
${steps(`listeners() { return Object.values(redis).map((client) => client.listenerCount('error')).join(); },`)}`;
    const app = await run(program, {});
    const beats = async (pattern: RegExp) =>
      expect.poll(() => app.ask('beat'), { timeout: 60_000, interval: 100 }).toMatch(pattern);
    try {
      await beats(/^\[(\["ok"\],?){4}\]$/);
      await server.kill();
      await beats(/^\[(\["error","Cannot connect to redis: connection refused[^"]*"\],?){3}/);
      await expect
        .poll(() => app.lines(/The redis client lost a connection/).length, { timeout: 30_000 })
        .toBe(4);
      await server.restart();
      await beats(/^\[(\["ok"\],?){4}\]$/);
      expect(app.lines(/The redis client lost a connection/)).toHaveLength(4);
      expect(await app.ask('listeners')).toBe('1,1,1,1');
      await app.ask('close');
      expect(await app.ask('listeners')).toBe('0,0,0,0');
    } finally {
      await app.end();
      await server.stop();
    }
  },
  120_000,
);
