import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from './port.js';

/** Takes a hundred ports, counted from the same one in each process, and holds them until its input ends. */
const taking = `
Object.defineProperty(process, 'pid', { value: 1 });
const { freePort } = await import('${import.meta.resolve('./port.ts')}');
const ports = [];
while (ports.length < 100) ports.push(await freePort());
console.log(ports.join());
process.stdin.resume();`;

async function taken(): Promise<readonly number[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', taking], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return String(line).trim().split(',').map(Number);
}

test('no port is handed out twice, in this process and in others', async () => {
  const own: number[] = [];
  while (own.length < 100) own.push(await freePort());
  const ports = [...own, ...(await Promise.all([taken(), taken(), taken()])).flat()];
  expect(ports).toHaveLength(400);
  expect(new Set(ports).size).toBe(400);
});
