// node bench/watchdog-subject.mjs memory on|off, or spin ROUNDS: blocks itself while a process beside it asks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Health } from 'lifesign/node';

const [what, how] = process.argv.slice(2);
const records = [];
const watchdog = what === 'memory' && how !== 'on' ? false : { port: 0 };
const health = new Health(createServer(), { logger: { log: (record) => records.push(record) }, watchdog });

if (what === 'memory') {
  await pause(1500);
  globalThis.gc();
  await pause(500);
  process.send(process.memoryUsage.rss());
  await pause(50);
  process.exit();
}

const portOf = ({ msg = '' }) => /^The watchdog is listening on .*:(\d+)$/.exec(msg)?.[1];
for (let waits = 0; !records.some(portOf); waits += 1) {
  if (waits === 500) throw new Error(`The watchdog named no port: ${JSON.stringify(records)}`);
  await pause(20);
}
const port = records.map(portOf).find((found) => found !== undefined);
// Each on a connection of its own, as probes come; told when the asking process is warm.
const asking = `
  const http = require('node:http');
  const ask = () => new Promise((resolve, reject) => {
    const start = performance.now();
    http.get({ port: ${port}, path: '/__lbheartbeat__', agent: false }, (res) => {
      res.resume().on('end', () => resolve(performance.now() - start));
    }).on('error', reject);
  });
  (async () => {
    for (let i = 0; i < 50; i += 1) await ask();
    process.send('ready');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const times = [];
    for (let i = 0; i < 100; i += 1) { times.push(await ask()); await new Promise((resolve) => setTimeout(resolve, 15)); }
    process.send(times);
  })();`;
const answers = [];
const stacks = [];
health.on('loopBlocked', ({ blockedFor, stack }) => stack !== undefined && stacks.push(blockedFor - 1000));
for (let round = 0; round < Number(how); round += 1) {
  const child = spawn(process.execPath, ['-e', asking], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await once(child, 'message');
  const told = once(child, 'message');
  for (const end = performance.now() + 2600; performance.now() < end;);
  const [times] = await told;
  answers.push(...times);
  await pause(8000);
}
process.send({ answers, stacks });
await pause(50);
process.exit();
