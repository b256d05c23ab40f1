// Started by stdout.process.test.ts: logs lines, and ends as its first argument says. Its descriptor 3 says how many lines it has logged.
import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { stdoutLogger, type StdoutLoggerOptions } from 'lifesign/logging';

const [scenario = '', amount = '0', to] = process.argv.slice(2);
const names = ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit'];
const before = names.map((name) => process.listenerCount(name));
const logger = stdoutLogger({ to: to as StdoutLoggerOptions['to'] });
let logged = 0;

function line(padding = 200): void {
  const fields = { n: logged, pad: 'x'.repeat(padding) };
  logged += 1;
  logger.log({ logger: 'ours', level: 20, time: Date.now(), fields });
}
function lines(count = Number(amount)): void {
  for (let left = count; left > 0; left -= 1) line();
}
const tell = (more: object = {}) => writeSync(3, `${JSON.stringify({ logged, ...more })}\n`);
const turn = () => new Promise((resolve) => setImmediate(resolve));
const order = () => new Promise((resolve) => process.once('message', resolve));

const scenarios: Record<string, () => unknown> = {
  'the end': () => {},
  'process.exit': () => process.exit(3),
  'process.exit in a listener for exit': () => {
    process.on('exit', () => {
      line();
      tell();
      process.exit(5);
    });
  },
  'an uncaught exception': () => {
    throw new Error('unexpected');
  },
  'an unhandled rejection': () => void Promise.reject(new Error('unexpected')),
  'a signal with a handler that exits': () => {
    process.on('SIGTERM', () => process.exit(6));
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => {}, 20_000);
  },
  'a signal that nothing handles': async () => {
    await turn();
    line();
    process.kill(process.pid, 'SIGTERM');
  },
  /** Each line says how many of the others were written before. */
  'beside the application': async () => {
    for (let written = 0; written < 100; written += 1) {
      line(9000);
      console.log(JSON.stringify({ Fields: { written, after: logged - 1 } }));
      await turn();
      await turn();
    }
  },
  'a reader that takes nothing': async () => {
    for (let round = 0; round < 150; round += 1) {
      for (let left = 20; left > 0; left -= 1) line(10_000);
      await turn();
    }
    tell({ waiting: process.stdout.writableLength });
    await order();
    while (process.stdout.writableLength > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    line();
    tell();
    process.disconnect();
  },
  'a reader that leaves': async () => {
    await order();
    for (let round = 0; round < 20; round += 1) {
      lines(20);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    // A second one would end the process, without lifesign too.
    console.log('from the application');
    await new Promise((resolve) => setTimeout(resolve, 1));
    tell();
    process.disconnect();
  },
  'a worker thread': () => {
    const worker = new Worker(process.argv[1] ?? '', { argv: ['the end', '3000'], stdout: true });
    let captured = '';
    worker.stdout.on('data', (chunk) => (captured += String(chunk)));
    worker.stdout.once('end', () => tell({ captured: captured.split('\n').length - 1 }));
  },
};

lines();
if (scenario === 'quiet') scenarios[amount]?.();
else {
  const added = names.map((name, index) => process.listenerCount(name) - (before[index] ?? 0));
  if (Number(amount) > 0) tell({ listeners: added.join() });
  scenarios[scenario]?.();
}
