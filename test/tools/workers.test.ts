import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSync } from 'esbuild';
import { describe, expect, inject, test } from 'vitest';
import { projectWith } from '../package/project.js';

const run = promisify(execFile);
const cwd =
  (await projectWith(
    'workers',
    ['miniflare@4.20260730.0', 'deno@2.9.5', 'elysia@1.4.30'],
    inject('tarball'),
  )) ?? '';

const worker = `
import { checks, Health, requestId } from 'lifesign/fetch';
const health = new Health();
health.check('storage', async () => [new checks.Warning('Slow', { id: 'acme.W001' })]);
export default { fetch: health.wrap((request) => Response.json([requestId(request), requestId() ?? 'unknown'])) };`;

/** Asks a worker in workerd and prints what it answered and how many lines it logged. */
const ask = `
import { Miniflare } from 'miniflare';
import { readFileSync } from 'node:fs';
const [date, flags] = process.argv.slice(2);
let output = '';
const note = (stream) => stream.on('data', (piece) => (output += piece));
const worker = new Miniflare({
  modules: true,
  script: readFileSync('worker.js', 'utf8'),
  compatibilityDate: date,
  compatibilityFlags: flags ? flags.split(',') : [],
  handleRuntimeStdio: (stdout, stderr) => [note(stdout), note(stderr)],
});
const answers = [];
for (const path of ['/__heartbeat__', '/']) {
  const answer = await worker.dispatchFetch('http://localhost' + path, { headers: { 'x-request-id': 'abc' } });
  answers.push([answer.status, await answer.json()]);
}
const types = () => [...output.matchAll(/"Type":"([^"]+)"/g)].map(([, type]) => type);
for (let i = 0; i < 100 && types().length < 3; i++) await new Promise((resolve) => setTimeout(resolve, 50));
await worker.dispose();
console.log(JSON.stringify({ answers, types: types() }));`;

describe.skipIf(cwd === '')('Cloudflare', () => {
  test.each([
    ['2023-01-01', '', 'unknown'],
    ['2024-01-01', 'nodejs_compat', 'unknown'],
    ['2024-09-23', 'nodejs_compat', 'abc'],
    ['2025-09-19', 'nodejs_compat', 'abc'],
    ['2025-09-20', 'nodejs_compat', 'abc'],
    ['2026-04-01', 'nodejs_compat', 'abc'],
    ['2026-04-01', 'nodejs_als', 'unknown'],
    ['2026-04-01', '', 'unknown'],
  ])('of %s with the flags %j answers and logs', async (date, flags, id) => {
    const stdin = { contents: worker, resolveDir: cwd };
    const outfile = join(cwd, 'worker.js');
    buildSync({
      stdin,
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      conditions: ['workerd', 'worker'],
      external: ['node:*'],
    });
    await writeFile(join(cwd, 'ask.mjs'), ask);
    const { stdout } = await run(process.execPath, ['ask.mjs', date, flags], { cwd });
    const { answers, types } = JSON.parse(stdout);
    expect(answers).toEqual([
      [500, expect.objectContaining({ checks: { storage: 'warning' } })],
      [200, ['abc', id]],
    ]);
    expect(types.toSorted()).toEqual(['health.checks', 'request.summary', 'request.summary']);
  });
});

const denoApp = `
import { checks, Health, listenOptions } from 'lifesign/fetch';
const health = new Health();
health.check('storage', async () => [new checks.Warning('Slow', { id: 'acme.W001' })]);
const { port } = listenOptions();
const server = Deno.serve({ port, hostname: '127.0.0.1', onListen() {} }, health.wrap(() => new Response('Hello')));
const statuses = [];
for (const path of ['/__heartbeat__', '/__lbheartbeat__', '/']) {
  const answer = await fetch('http://127.0.0.1:' + server.addr.port + path);
  await answer.body?.cancel();
  statuses.push(answer.status);
}
await server.shutdown();
console.error(JSON.stringify(statuses));`;

describe.skipIf(cwd === '')('Deno', () => {
  test.each([[['--allow-env=PORT']], [['--allow-env', '--allow-read', '--allow-sys']]])(
    'with --allow-net and %j',
    async (flags) => {
      await writeFile(join(cwd, 'deno.ts'), denoApp);
      const args = ['run', '--no-prompt', '--allow-net', ...flags, 'deno.ts'];
      const { stderr } = await run(join(cwd, 'node_modules/.bin/deno'), args, {
        cwd,
        env: { ...process.env, PORT: '0' },
      });
      expect(stderr).toContain('[500,200,200]');
    },
  );
});

test.skipIf(cwd === '')('Elysia is refused as the application, and served when it is wrapped', async () => {
  const app = `
import { Elysia } from 'elysia';
import { Health } from 'lifesign/fetch';
const app = new Elysia();
try { new Health(app); } catch ({ code }) { console.log(code); }
const serve = new Health(undefined, { summary: false }).wrap((request) => app.fetch(request));
app.get('/late', () => 'late');
for (const path of ['/late', '/__lbheartbeat__']) console.log((await serve(new Request('http://localhost' + path))).status);`;
  await writeFile(join(cwd, 'elysia.mjs'), app);
  const { stdout } = await run(process.execPath, ['elysia.mjs'], { cwd });
  expect(stdout.split('\n')).toEqual(['LIFESIGN_APP', '200', '200', '']);
});
