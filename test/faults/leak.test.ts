import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { compiled } from '../compiled/index.js';
import { whole } from '../whole.js';

interface Look {
  readonly heapUsed: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly listeners: number;
}

it(
  'heartbeats by the ten thousand leave no timer, listener, promise or socket, and the process ends by itself',
  { timeout: 300_000 },
  async () => {
    const file = compiled(new URL('leak-app.ts', import.meta.url));
    const child = spawn(process.execPath, ['--expose-gc', file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code]: unknown[] = await once(child, 'exit');
    expect(code).toBe(0);
    const { early, late } = JSON.parse(output) as { early: Look; late: Look };
    console.log(
      `[fault] ${whole ? '100,000' : '20,000'} heartbeats: heap ${early.heapUsed} -> ${late.heapUsed}, ${JSON.stringify(late.counts)}`,
    );
    // Code that gets warm takes half a megabyte. Fifty bytes left by each heartbeat, or the smallest object by each of 100,000, would be more.
    expect(late.heapUsed - early.heapUsed).toBeLessThan(whole ? 1_200_000 : 700_000);
    expect(late.counts).toEqual(early.counts);
    expect(late.listeners).toBe(early.listeners);
  },
);
