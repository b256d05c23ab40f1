// The servers that docs/auto.md shows "in code", beside real builds.
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { installInto, start } from '../start.js';
import { built, frameworks } from './fixture.js';

const page = resolve(import.meta.dirname, '../../../docs/auto.md');

describe.each([
  ['React Router', frameworks.reactRouter],
  ['Astro', frameworks.astroMiddleware],
])('%s', (tab, framework) => {
  let cwd = '';
  beforeAll(async () => {
    cwd = await built(framework);
  });

  test('serves the endpoints before the framework, and drains', async () => {
    installInto(cwd);
    const [, inCode = ''] = (await readFile(page, 'utf8')).split('## In code');
    const [, snippet = ''] = inCode.split(`\`\`\`js fragment [${tab}]\n`);
    await writeFile(join(cwd, 'server.mjs'), snippet.split('```')[0] ?? '');
    const app = await start(['server.mjs'], { cwd, options: '', env: { HEALTH_DRAIN_DELAY: '300ms' } });
    const heartbeat = await fetch(`${app.origin}/__heartbeat__`);
    expect(await heartbeat.json()).toEqual({ status: 'ok', checks: { storage: 'ok' }, details: {} });
    expect((await fetch(`${app.origin}/__lbheartbeat__`)).status).toBe(200);
    expect((await fetch(`${app.origin}/__version__`)).status).toBe(404);
    expect(await (await fetch(app.origin)).text()).toContain('Hello from');
    const echo = await fetch(`${app.origin}/echo`, { method: 'POST', body: 'back' });
    expect(await echo.text()).toBe('back');
    const paths = (await app.summaries(5)).map(({ path, code }) => `${path} ${code}`);
    expect(paths.toSorted()).toEqual(
      ['/__heartbeat__ 200', '/__lbheartbeat__ 200', '/__version__ 404', '/ 200', '/echo 200'].toSorted(),
    );
    const open = await fetch(`${app.origin}/stream`);
    app.child.kill('SIGTERM');
    expect(await open.text()).toContain('the end of the stream');
    expect(await app.exited).toEqual({ code: 0, signal: null });
  });
});
