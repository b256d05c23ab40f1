// Started by stdout.process.test.ts: logs lines and says on descriptor 3, after each, how many it has logged.
import { writeSync } from 'node:fs';
import { stdoutLogger } from 'lifesign/logging';
import { defer } from '../../../src/core/request/deferred.js';

const [scenario = '', amount = '0', when = 'now'] = process.argv.slice(2);
const logger = stdoutLogger({ loggerName: 'acme' });
let logged = 0;

function line(padding = 0): void {
  const fields = { n: logged, pad: 'x'.repeat(padding) };
  const log = () => logger.log({ logger: 'request.summary', level: 20, time: Date.now(), fields });
  if (when === 'after the turn') defer(log);
  else log();
  logged += 1;
}

const tell = (what: unknown) => writeSync(3, `${JSON.stringify(what)}\n`);

/** Logs in the middle of a turn that goes on for a while: a signal comes before its end. */
function busyTurns(): void {
  for (let i = 0; i < 20; i += 1) {
    line();
    tell({ logged });
    const until = performance.now() + 1;
    while (performance.now() < until);
  }
  setImmediate(busyTurns);
}

/** Many lines a turn, whether anybody reads them or not. */
function flood(turns: number, then: () => void): void {
  for (let i = 0; i < 100; i += 1) line(2000);
  if (turns > 1) setTimeout(flood, 0, turns - 1, then);
  else then();
}

const scenarios: Record<string, () => void> = {
  'signal, default handling': busyTurns,
  'signal, a handler that exits': () => {
    process.on('SIGTERM', () => {
      line();
      tell({ logged });
      process.exit(0);
    });
    busyTurns();
  },
  'signal, a handler that raises it again': () => {
    process.once('SIGTERM', () => {
      line();
      tell({ logged });
      process.kill(process.pid, 'SIGTERM');
    });
    busyTurns();
  },
  'process.exit': () => {
    for (let i = 0; i < Number(amount); i += 1) line();
    tell({ logged });
    process.exit(0);
  },
  'uncaught exception': () => {
    for (let i = 0; i < Number(amount); i += 1) line();
    tell({ logged });
    throw new Error('unexpected');
  },
  'the end': () => {
    for (let i = 0; i < Number(amount); i += 1) line();
    tell({ logged });
  },
  flood: () => {
    line();
    setTimeout(() => {
      const before = process.memoryUsage().rss;
      flood(Number(amount), () => {
        tell({ logged, grown: process.memoryUsage().rss - before });
        // Lines that come after the reader is back.
        process.stdin.once('data', () => {
          setTimeout(() => process.exit(0), 200);
        });
      });
    }, 50);
  },
  closed: () => {
    line();
    process.stdin.once('data', () => {
      const before = process.cpuUsage();
      flood(50, () => {
        setTimeout(() => {
          const quiet = process.cpuUsage();
          setTimeout(() => {
            const { user, system } = process.cpuUsage(quiet);
            tell({ logged, idleMs: (user + system) / 1000, busyMs: process.cpuUsage(before).user / 1000 });
            process.exit(0);
          }, 300);
        }, 100);
      });
    });
  },
};
scenarios[scenario]?.();
