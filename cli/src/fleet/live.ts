import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Io } from '../../../src/tools.js';
import { table } from './table.js';
import type { Watch } from './watch.js';

const enter = '\u001B[?1049h\u001B[?25l';
const leave = '\u001B[?25h\u001B[?1049l';
const home = '\u001B[H';
const clearLine = '\u001B[K';
const clearBelow = '\u001B[J';
const usualRows = 24;

/** One screen of the view: the lines that fit, written over the last screen. */
function screen(lines: readonly string[], rows: number): string {
  const maxRows = Math.max(1, rows - 1);
  const more = lines.length - maxRows + 1;
  const shown =
    lines.length <= maxRows
      ? lines
      : [...lines.slice(0, maxRows - 1), `… ${more} more lines: --once and --json show them all`];
  return `${home}${shown.map((line) => `${line}${clearLine}\n`).join('')}${clearBelow}`;
}

/** Draws the view again and again until it is ended by Ctrl-C; leaves the terminal as it found it. */
export async function live(watch: Watch, io: Io, every: number, maxRows: number): Promise<void> {
  const { stdout } = io;
  const draw = () => {
    const { fleet, address, problem, age } = watch;
    if (fleet === undefined) return;
    stdout.write(screen(table({ fleet, address, problem, age, maxRows }, io), stdout.rows ?? usualRows));
  };
  const ending = new AbortController();
  const { signal } = ending;
  const end = () => ending.abort();
  const ended = once(signal, 'abort');
  const suspend = () => {
    stdout.write(leave);
    process.kill(process.pid, 'SIGSTOP');
  };
  const resume = () => {
    stdout.write(enter);
    draw();
  };
  const restore = () => stdout.write(leave);
  process.once('SIGINT', end).once('SIGTERM', end).once('exit', restore);
  process.on('SIGTSTP', suspend).on('SIGCONT', resume);
  process.stdout.on('resize', draw);
  stdout.write(enter);
  while (!signal.aborted) {
    draw();
    await sleep(every, undefined, { signal }).catch(() => {});
    // Ctrl-C does not wait for a Prometheus that is slow.
    if (!signal.aborted) await Promise.race([watch.look(), ended]);
  }
  process.stdout.off('resize', draw);
  process.off('SIGINT', end).off('SIGTERM', end).off('exit', restore);
  process.off('SIGTSTP', suspend).off('SIGCONT', resume);
  restore();
}
