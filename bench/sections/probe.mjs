// The probe command against an empty Node and against curl and wget: wall time of the whole process, interleaved.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { median } from '../measure.mjs';
import { table, two } from '../report.ts';
import { judge, shownBudget } from '../verdict.ts';

const root = join(import.meta.dirname, '../..');
const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

async function compareProbe({ rounds }) {
  // In a thread: spawnSync blocks this one.
  const worker = new Worker(
    `const { createServer } = require('node:http');
     const { parentPort } = require('node:worker_threads');
     const server = createServer((_req, res) => res.end('{"status":"ok"}'));
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  const port = await new Promise((resolve) => worker.once('message', resolve));
  const url = `http://127.0.0.1:${port}/__lbheartbeat__`;
  const contenders = [
    { label: 'node -e ""', command: [process.execPath, '-e', ''] },
    {
      label: 'lifesign probe',
      command: [process.execPath, join(root, bin.lifesign), 'probe'],
      budget: 1.15,
    },
    { label: 'curl', command: ['curl', '-fsS', url] },
    { label: 'wget', command: ['wget', '-q', '-O', '-', url] },
  ].filter(({ command: [program] }) => spawnSync('which', [program]).status === 0);
  const samples = contenders.map(() => []);
  for (let round = -1; round < rounds; round += 1) {
    for (const [index, { label, command }] of contenders.entries()) {
      const [program, ...args] = command;
      const start = performance.now();
      const { status, stderr } = spawnSync(program, args, { env: { ...process.env, PORT: String(port) } });
      if (status !== 0) throw new Error(`${label} failed: ${String(stderr)}`);
      if (round >= 0) samples[index].push(performance.now() - start);
    }
  }
  await worker.terminate();
  return contenders.map(({ label, budget }, index) => ({
    label,
    budget,
    ms: median(samples[index]),
    ratio: median(samples[index].map((own, round) => own / samples[0][round])),
  }));
}

export async function probeSection(effort) {
  const rows = await compareProbe(effort);
  const body = rows.map(({ label, ms, ratio, budget }) => [
    label,
    ms.toFixed(1),
    two(ratio),
    budget === undefined ? '' : shownBudget(`≤ ${budget}`, ratio, budget),
  ]);
  const findings = rows
    .filter(({ budget }) => budget !== undefined)
    .map(({ ratio, budget }) => ({
      value: ratio,
      budget,
      says: `probe: ${two(ratio)} times node -e "", budget ${budget}`,
    }));
  return {
    name: 'probe',
    text: `### one probe, the whole process\n\n${table(['', 'ms', 'times an empty Node', 'budget'], body)}\n\nAhead of lifesign: curl and wget, by the time that Node itself takes to start; an image without them has only Node.`,
    ...judge(findings),
  };
}
