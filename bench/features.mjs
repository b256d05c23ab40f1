// node bench/features.mjs: how lifesign and four peers treat a check that hangs and one that throws a secret. Prints the rows of contributing/comparison.md that can be run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const peers = ['lifesign', 'terminus', 'nest', 'lightship', 'underPressure'];

async function start(peer, check) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'faults-subject.mjs'), peer, check], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [{ port, healthPort = port, health }] = await once(child, 'message');
  return {
    async ask(patience) {
      const started = performance.now();
      try {
        const answer = await fetch(`http://127.0.0.1:${healthPort}${health}`, {
          signal: AbortSignal.timeout(patience),
        });
        const body = await answer.text();
        return { said: `${answer.status} in ${((performance.now() - started) / 1000).toFixed(1)} s`, body };
      } catch {
        return { said: `no answer in ${patience / 1000} s`, body: '' };
      }
    },
    runs: async () => (await (await fetch(`http://127.0.0.1:${port}/pool`)).json()).runs,
    stop: () => child.kill('SIGKILL'),
  };
}

async function row(peer) {
  const hung = await start(peer, 'hung');
  // The first run passes.
  if ((await hung.runs()) === 0) await hung.ask(10_000);
  const { said } = await hung.ask(10_000);
  await Promise.all(Array.from({ length: 20 }, () => hung.ask(1000)));
  const runs = Math.max(0, (await hung.runs()) - 1);
  hung.stop();

  const thrown = await start(peer, 'secret');
  const { body } = await thrown.ask(10_000);
  thrown.stop();
  return {
    'hung check': said,
    'runs that hang after 20 more probes': runs,
    'names the failing check': body.includes('database'),
    'password in the body': body.includes('hunter2'),
    body,
  };
}

for (const peer of peers) console.log(peer, await row(peer));
