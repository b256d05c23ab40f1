import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { root, snippetsOf } from '../examples/snippets.js';

test('what SKILL.md tells assistants to write serves the endpoints', async () => {
  const snippets = await snippetsOf('SKILL.md');
  const servers = snippets.filter(({ code }) => /\bnew Health\(/.test(code));
  expect(servers.length).toBeGreaterThan(1);
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, '.tmp/assistants-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [number, { code }] of servers.entries()) {
    // The program itself says where it listens: a free port.
    const asked = code.includes('.listen(') ? code : `${code}server.listen(0);`;
    const { code: script } = transformSync(asked.replace(/\.listen\(.*/, '.listen(0, listens);'), {
      loader: 'ts',
    });
    const file = join(folder, `${number}.mjs`);
    writeFileSync(file, `${script}\nfunction listens() { process.send(this.address().port); }\n`);
    const child = spawn(process.execPath, [file], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [port] = (await once(child, 'message')) as [number];
    expect((await fetch(`http://127.0.0.1:${port}/__lbheartbeat__`)).status).toBe(200);
    const body = (await (await fetch(`http://127.0.0.1:${port}/__heartbeat__`)).json()) as { checks: object };
    expect(Object.keys(body.checks)).toHaveLength(1);
  }
});
