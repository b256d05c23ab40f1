import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { compiled } from '../compiled/index.js';

const run = promisify(execFile);

// Node 20 has no `node:sqlite`: a newer one from the registry is asked.
it('node:sqlite is ok while it is open and unusable once it is closed', async () => {
  const script = compiled(new URL('./clients/node-sqlite.ts', import.meta.url));
  const own = process.getBuiltinModule('node:sqlite') !== undefined;
  const args = ['--no-warnings', script];
  const { stdout } = own
    ? await run(process.execPath, args)
    : await run('npx', ['-y', '-p', 'node@22', 'node', ...args]);
  const said: unknown = JSON.parse(stdout);
  expect(said).toMatchObject({ open: [], closed: [{ id: 'health.E002' }] });
}, 120_000);
