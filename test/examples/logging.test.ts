import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseLine } from '../logging/schemas.js';
import { freePort } from '../services/port.js';
import { until } from '../core/waiting.js';
import { root, snippetsOf } from './snippets.js';

await mkdir(join(root, '.tmp'), { recursive: true });
const scratch = await mkdtemp(join(root, '.tmp/logging-'));
afterAll(() => rm(scratch, { recursive: true }));

const programs = (await snippetsOf('docs/logging.md')).filter(({ note }) => note === 'run');

async function eventually(url: string, headers: Record<string, string>): Promise<Response> {
  for (let turn = 0; ; turn += 1) {
    try {
      return await fetch(url, { headers });
    } catch (refused) {
      if (turn === 200) throw refused;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

describe('each program of docs/logging.md that is marked to run logs what the page says', () => {
  test('there are three', () => expect(programs).toHaveLength(3));

  test.each(programs)('$place', async ({ place, code }) => {
    const file = join(scratch, `${place.replaceAll(/[^\w]+/g, '-')}.mjs`);
    await writeFile(file, code);
    const port = await freePort();
    const env = { ...process.env, PORT: String(port) };
    const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = once(child, 'close');
    const reply = await eventually(`http://127.0.0.1:${port}/`, { 'X-Request-Id': 'order-7' });
    expect(await reply.text()).toBe('hello');
    await fetch(`http://127.0.0.1:${port}/__lbheartbeat__`);
    // A signal may come before the line, since the answer does.
    await until(() => output.includes('request.summary'));
    child.kill();
    await ended;

    const lines = output.trim().split('\n').map(parseLine);
    for (const line of lines) expect(line.Logger).toBe('acme');
    const paid = lines.filter(({ Fields }) => Fields['msg'] === 'paid');
    expect(paid.map(({ Fields: { order, rid }, Severity }) => [order, rid, Severity])).toEqual([
      [7, 'order-7', 6],
    ]);
    const summary = lines.find(({ Type }) => Type === 'request.summary');
    expect(summary?.Fields).toMatchObject({ path: '/', rid: 'order-7', code: 200 });
  });
});
