// Processes of every kind that have lifesign/auto in their NODE_OPTIONS.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { until } from '../core/waiting.js';
import { chosen, whole } from '../whole.js';
import { directoryWith, start } from './start.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

describe('a process that never listens', () => {
  const scripts = {
    'plain.mjs': `console.log('done')`,
    'fails.cjs': `process.exitCode = 3`,
    'client.mjs': `import { request } from 'node:http'; request({ port: 1 }).on('error', () => {}).end();`,
    'net.mjs': `import { createServer } from 'node:net'; const s = createServer().listen(0, () => s.close());`,
    'parent.mjs': `import { execFileSync } from 'node:child_process'; console.log(String(execFileSync(process.execPath, ['plain.mjs'])).trim());`,
    'signal.mjs': `process.on('SIGTERM', () => process.exit(7)); process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);`,
  };

  test.each(chosen(['--import lifesign/auto', '--require lifesign/auto'], '--import lifesign/auto'))(
    'prints nothing and ends as before: %s',
    async (options) => {
      const cwd = directoryWith({ ...scripts, 'health.mjs': `throw new Error('loaded');` });
      for (const script of Object.keys(scripts)) {
        const outcome = async (NODE_OPTIONS: string) => {
          const env = {
            PATH: process.env['PATH'],
            NODE_OPTIONS,
            HEALTH_DRAIN: 'true',
            HEALTH_CONFIG: 'health.mjs',
          };
          try {
            const { stdout, stderr } = await run(process.execPath, [script], { cwd, env });
            return { stdout, stderr, code: 0 };
          } catch (thrown) {
            const { stdout, stderr, code } = thrown as { stdout: string; stderr: string; code: number };
            return { stdout, stderr, code };
          }
        };
        expect([script, await outcome(options)]).toEqual([script, await outcome('')]);
      }
    },
  );

  test('loads nothing of the core', async () => {
    const hook = `import { writeSync } from 'node:fs';
      export const load = (url, context, next) => (/dist/.test(url) && writeSync(1, url + '\\n'), next(url, context));`;
    const cwd = directoryWith({
      'hook.mjs': hook,
      'list.mjs': `import { register } from 'node:module'; register('./hook.mjs', import.meta.url);`,
      'plain.mjs': '',
    });
    const env = { PATH: process.env['PATH'], NODE_OPTIONS: '--import ./list.mjs --import lifesign/auto' };
    const { stdout } = await run(process.execPath, ['plain.mjs'], { cwd, env });
    expect(stdout).toMatch(/^\S+\/dist\/auto\/index\.js\n$/);
  });

  test.runIf(whole)('npm run', async () => {
    const cwd = directoryWith({
      'package.json': '{"private":true,"scripts":{"say":"node plain.mjs"}}',
      ...scripts,
    });
    const env = { ...process.env, NODE_OPTIONS: '--import lifesign/auto' };
    const { stdout } = await run('npm', ['run', '--silent', 'say'], { cwd, env });
    expect(stdout).toBe('done\n');
  });
});

const status = async (origin: string, path: string) => {
  const answer = await fetch(origin + path, { headers: { connection: 'close' } });
  return [answer.status, await answer.text()] as const;
};

test('cluster: each worker has its Health, the primary none', async () => {
  const cwd = directoryWith({
    'app.mjs': `import cluster from 'node:cluster';
      import { createServer } from 'node:http';
      if (cluster.isPrimary) for (let n = 0; n < 2; n += 1) cluster.fork();
      else createServer((_req, res) => res.end(String(process.pid))).listen(process.env.PORT, () => console.error('ready'));`,
  });
  const app = await start(['app.mjs'], { cwd });
  await until(() => app.stderr().split('ready').length === 3);
  for (let n = 0; n < 6; n += 1) expect((await status(app.origin, '/__lbheartbeat__'))[0]).toBe(200);
  const pids = new Set<string>();
  for (let n = 0; n < 6; n += 1) pids.add((await status(app.origin, '/'))[1]);
  expect(pids.size).toBe(2);
  const summaries = await app.summaries(12);
  expect(summaries).toHaveLength(12);
  const logged = new Set(
    app
      .stdout()
      .match(/"Pid":\d+/g)
      ?.map((found) => found.slice(6)),
  );
  expect(logged).toEqual(pids);
});

test('a server in a worker thread, and one in a child that was forked', async () => {
  const server = `const { createServer } = require('node:http'); createServer((_req, res) => res.end()).listen(process.env.PORT, () => console.error('ready'));`;
  for (const starting of [
    `new (require('node:worker_threads').Worker)(require('node:path').resolve('server.cjs'));`,
    `require('node:child_process').fork('server.cjs');`,
  ]) {
    const cwd = directoryWith({ 'server.cjs': server, 'app.cjs': starting });
    const app = await start(['app.cjs'], { cwd });
    expect((await status(app.origin, '/__lbheartbeat__'))[0]).toBe(200);
    expect(await app.summaries(1)).toHaveLength(1);
  }
});

test.runIf(whole)('tsx', async () => {
  const cwd = directoryWith({
    'app.ts': `import { createServer } from 'node:http'; const port: string = process.env['PORT'] ?? ''; createServer().listen(port);`,
    'health.js': 'export default { checks: { own: () => [] } };',
  });
  const tsx = join(root, 'node_modules/tsx/dist/cli.mjs');
  const app = await start([tsx, 'app.ts'], { cwd, env: { HEALTH_CONFIG: 'health.js' } });
  expect((await status(app.origin, '/__heartbeat__'))[1]).toContain('"own":"ok"');
  app.child.kill('SIGTERM');
  await app.exited;
});
