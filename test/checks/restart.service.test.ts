import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { expect, it } from 'vitest';
import { canStart, startService } from '../services/index.js';
import { compiled } from '../compiled/index.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const page = readFileSync(here('../../docs/checks.md'), 'utf8');
/** The first example. */
const { code: example } = transformSync(/```ts\n(.*?)```/s.exec(page)?.[1] ?? '', { loader: 'ts' });

/** A pool that nobody listens to: the application never asks it, only the check does. */
const deaf = `import { Pool } from 'pg';
import { Health } from 'lifesign/express';
const health = new Health(undefined, { db: new Pool(), logger: { log() {} } });`;

const beats = `
setInterval(async () => {
  const { results } = await health.heartbeat();
  console.log(results.find(({ name }) => name === 'check_database_connected').status);
}, 100);`;

it.skipIf(!canStart('postgres') || !canStart('redis')).each([
  ['the first example of docs/checks.md', example],
  ['a check over a pool that nobody listens to', deaf],
])('%s survives restarts of its servers', async (name, program) => {
  const postgres = await startService('postgres');
  const redis = await startService('redis');
  const { username, password, port, pathname } = new URL(postgres.url);
  const file = compiled(here(`./restart-${process.pid}-${name.length}.mjs`));
  await writeFile(file, program.replace('new Redis()', `new Redis(${redis.port}, '127.0.0.1')`) + beats);
  const folder = await mkdtemp(join(tmpdir(), 'lifesign-example-'));
  await mkdir(join(folder, 'migrations'));
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: {
      ...process.env,
      DATABASE_URL: postgres.url,
      PGHOST: '127.0.0.1',
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: password,
      PGDATABASE: pathname.slice(1),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const says = async (word: string) => {
    const from = output.length;
    await expect
      .poll(() => output.slice(from).split('\n').includes(word) || child.exitCode !== null, {
        timeout: 30_000,
      })
      .toBe(true);
    expect(child.exitCode, output).toBeNull();
  };
  try {
    for (let round = 0; round < 2; round += 1) {
      await says('ok');
      await Promise.all([postgres.kill(), redis.kill()]);
      await says('error');
      await Promise.all([postgres.restart(), redis.restart()]);
    }
    await says('ok');
  } finally {
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(file);
    await rm(folder, { recursive: true });
    await Promise.all([postgres.stop(), redis.stop()]);
  }
});
