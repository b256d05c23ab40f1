import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { projectWith } from '../package/project.js';
import { freePort } from '../services/port.js';

const run = promisify(execFile);
const packages = [
  'next@15',
  'react@19',
  'react-dom@19',
  'typescript@5.9.3',
  '@types/react@19',
  '@types/node@20.19.43',
];
const cwd = (await projectWith('next15', packages, inject('tarball'))) ?? '';

const files = {
  'app/layout.tsx': `import type { ReactNode } from 'react';
export default function Layout({ children }: { children: ReactNode }) { return <html><body>{children}</body></html>; }`,
  'app/page.tsx': 'export default function Page() { return <p>Hello</p>; }',
  'middleware.ts': `import { NextResponse } from 'next/server';
import { checks, Health } from 'lifesign/fetch';
const health = new Health();
health.check('storage', async () => [new checks.Warning('Slow', { id: 'acme.W001' })]);
health.versionCallback(() => ({ commit: 'abc' }));
export const middleware = health.wrap(() => NextResponse.next());`,
};

test.skipIf(cwd === '')('Next 15: the tsconfig it generates, and its Edge middleware', async () => {
  await rm(join(cwd, '.next'), { recursive: true, force: true });
  await mkdir(join(cwd, 'app'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NEXT_IGNORE_INCORRECT_LOCKFILE: '1' };
  const next = join(cwd, 'node_modules/next/dist/bin/next');
  await run(process.execPath, [next, 'build'], { cwd, env });

  const port = await freePort();
  const server = spawn(process.execPath, [next, 'start', '-p', String(port)], { cwd, env });
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (piece) => (output += piece));
  try {
    await expect.poll(() => output, { timeout: 60_000 }).toContain('Ready');
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return [answer.status, await answer.text()] as const;
    };
    expect(await ask('/__heartbeat__')).toEqual([500, expect.stringContaining('"storage":"warning"')]);
    expect(await ask('/__version__')).toEqual([200, '{"commit":"abc"}']);
    expect(await ask('/')).toEqual([200, expect.stringContaining('Hello')]);
    await expect.poll(() => output.match(/"Type":"request\.summary"/g)?.length).toBe(3);
  } finally {
    server.kill('SIGKILL');
    await once(server, 'exit');
  }
});
