// Started by stdout-end.process.test.ts: logs, and ends or is ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { stdoutLogger } from 'lifesign/logging';
import { defer } from '../../../src/core/request/deferred.js';

const [scenario = '', amount = '1', argument = ''] = process.argv.slice(2);
const logger = stdoutLogger();
let logged = 0;

function line(padding = 0): void {
  const fields = { id: 0, n: logged, pad: 'x'.repeat(padding) };
  logged += 1;
  logger.log({ logger: 'ours', level: 20, time: Date.now(), fields });
}
const lines = () => {
  for (let left = Number(amount); left > 0; left -= 1) line(200);
};
const names = ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit'];
const before = names.map((name) => process.listenerCount(name));
const added = () => names.map((name, index) => process.listenerCount(name) - (before[index] ?? 0)).join();
const tell = (what: unknown) => writeSync(3, `${JSON.stringify(what)}\n`);
const stayAlive = () => setTimeout(() => {}, 20_000);
const signal = argument as NodeJS.Signals;

/** How a process ends, by name; `quiet` processes log nothing, to see what Node does without us. */
const ends: Record<string, () => void> = {
  'process.exit': () => process.exit(3),
  'process.exitCode': () => {
    process.exitCode = 4;
  },
  throw: () => {
    throw new Error('unexpected');
  },
  rejection: () => void Promise.reject(new Error('unexpected')),
  'process.reallyExit after exit listeners': () => {
    process.on('exit', () => {
      line();
      process.exitCode = 5;
    });
    process.exit();
  },
  raise: () => {
    process.kill(process.pid, signal);
    stayAlive();
  },
  'raise, handled once and raised again later': () => {
    process.once(signal, () => setTimeout(() => process.kill(process.pid, signal), 5));
    process.kill(process.pid, signal);
    stayAlive();
  },
  'raise, handled by who counts listeners': () => {
    const mine = () => {
      process.removeListener(signal, mine);
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    };
    process.on(signal, mine);
    process.kill(process.pid, signal);
    stayAlive();
  },
  'raise, emitted': () => {
    process.on(signal, () => setTimeout(() => process.exit(6), 5));
    process.emit(signal);
  },
  'raise, handled with an exit': () => {
    process.on(signal, () => process.exit(6));
    process.kill(process.pid, signal);
    stayAlive();
  },
};

const scenarios: Record<string, () => void> = {
  'handled signal': () => {
    line();
    let handled = 0;
    process.on(signal, () => {
      handled += 1;
      line();
    });
    const raise = (left: number): void => {
      if (left > 0) {
        process.kill(process.pid, signal);
        setTimeout(raise, 10, left - 1);
        return;
      }
      // Lines wait for the end of a turn again.
      let waits = true;
      defer(() => (waits = false));
      lines();
      tell({ handled, waits, listeners: process.listenerCount(signal), logged });
      process.exit(0);
    };
    setTimeout(raise, 5, 5);
  },
  /** Ends with 7 on a signal, as its handler says, however often the signal comes. */
  'exits on a signal': () => {
    process.on('SIGTERM', () => process.exit(7));
    lines();
    tell({ logged });
    stayAlive();
  },
  /** A sibling that started first restores blocking mode when it ends; then far more is logged than standard output holds. */
  'sibling that ends': () => {
    const sibling = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.error("started")'], {
      stdio: ['pipe', 1, 'pipe'],
    });
    sibling.stderr?.once('data', () => {
      line();
      setTimeout(() => sibling.stdin?.end(), 20);
    });
    void once(sibling, 'exit').then(() => {
      let beats = 0;
      setInterval(() => {
        lines();
        beats += 1;
        tell({ beats });
      }, 5);
      setTimeout(() => process.exit(0), 20_000);
    });
  },
  'stays alive': () => {
    line();
    tell({ listeners: process.listenerCount('SIGTERM') });
    setInterval(() => {
      line();
      tell({ logged });
    }, 20);
    setTimeout(() => process.exit(0), 20_000);
  },
  'worker thread': () => {
    const file = process.argv[1] ?? '';
    const worker = new Worker(file, { argv: ['lines', amount], stdout: argument === 'captured' });
    if (argument !== 'captured') return;
    let captured = '';
    worker.stdout.on('data', (chunk) => (captured += String(chunk)));
    worker.once('exit', () => setImmediate(() => tell({ captured: captured.split('\n').length - 1 })));
  },
  lines,
  'lines, then the application': () => {
    lines();
    setTimeout(() => console.log('from the application'), 50);
  },
  /** Every way there is of standing between a line and the descriptor. */
  replaced: () => {
    const seen: string[] = [];
    const { write } = process.stdout;
    const { console: real } = globalThis;
    line();
    process.stdout.write = (chunk: unknown) => seen.push(`write ${JSON.parse(String(chunk)).Fields.n}`) > 0;
    line();
    defer(() => line());
    setImmediate(() => {
      process.stdout.write = write;
      line();
      setImmediate(() => {
        globalThis.console = {
          ...real,
          log: (text: string) => seen.push(`log ${JSON.parse(text).Fields.n}`),
        };
        line();
        // A console that logs through us gets to the descriptor in the end.
        globalThis.console = { ...real, log: () => line() };
        line();
        globalThis.console = {
          ...real,
          log() {
            throw new Error('theirs');
          },
        };
        line();
        globalThis.console = real;
        line();
        tell({ seen: seen.join(', ') });
      });
    });
  },
};

if (scenario.startsWith('quiet ')) ends[scenario.slice('quiet '.length)]?.();
else if (scenario in ends) {
  lines();
  tell({ logged, listeners: added() });
  // A signal that nothing handles may lose the lines of its turn: it comes two turns later.
  if (scenario.startsWith('raise')) setImmediate(() => setImmediate(() => ends[scenario]?.()));
  else ends[scenario]?.();
} else scenarios[scenario]?.();
