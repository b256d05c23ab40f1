// Types, lint, format, unused code and prose, two at a time: `npm run check`. What each printed comes at its end, in one piece.
import { spawn } from 'node:child_process';

const checks = ['typecheck', 'lint', 'unused', 'prose', 'format:check'];
const left = [...checks];
const failed = [];

async function work() {
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const since = performance.now();
    const { code, output } = await run(name);
    const seconds = ((performance.now() - since) / 1000).toFixed(0);
    process.stdout.write(`${output}${name}: ${code === 0 ? 'ok' : 'FAILED'}, ${seconds} s\n`);
    if (code !== 0) failed.push(name);
  }
}

function run(name) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({ code: 1, output: `${error}\n` }));
    child.on('close', (code) => resolve({ code, output }));
  });
}

await Promise.all([work(), work()]);
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
