// Started by stdout-lines.process.test.ts: logs lines beside console.log of the application, as a plan says, in one process or several.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { stdoutLogger } from 'lifesign/logging';

/** What a process writes; the same seed writes the same. */
export interface Plan {
  readonly seed: number;
  /** Lines of ours and of the application, in all. */
  readonly lines: number;
  /** Characters of padding, at most. */
  readonly padding: number;
  /** How many of ten lines are the application's. */
  readonly application: number;
  /** At most so many lines are logged in one turn. */
  readonly aTurn: number;
  /** Processes with this standard output. */
  readonly processes: number;
  readonly end: 'exit' | 'nothing left to do' | 'throw' | 'go on' | 'wait';
}

/** A small generator of numbers, the same for the same seed. */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Until what was logged is written, where there is room. */
async function twoTurns(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}

async function run(plan: Plan, id: number): Promise<void> {
  const below = random(plan.seed + id);
  const logger = stdoutLogger();
  let logged = 0;
  let written = 0;
  const pad = () => ['x', 'é', '€', '𝄞', '"'][below(5)]?.repeat(below(2) * below(plan.padding)) ?? '';
  const one = () => {
    if (below(10) < plan.application) {
      console.log(
        JSON.stringify({ Type: 'application', Fields: { id, n: written, after: logged, pad: pad() } }),
      );
      written += 1;
    } else {
      logger.log({
        logger: 'ours',
        level: 20,
        time: Date.now(),
        fields: { id, n: logged, after: written, pad: pad() },
      });
      logged += 1;
    }
    // One number a line, into a file: how many lines of each there must be at least.
    if (plan.end === 'go on') writeSync(3, `${JSON.stringify({ id, logged, written })}\n`);
  };
  // Not for ever, should nobody end it.
  const enough = performance.now() + 20_000;
  for (let left = plan.lines; left > 0 || (plan.end === 'go on' && performance.now() < enough);) {
    for (let k = 1 + below(plan.aTurn); k > 0; k -= 1, left -= 1) one();
    if (plan.aTurn === 1) await twoTurns();
    else if (below(3) > 0) await new Promise((resolve) => setTimeout(resolve, below(3)));
    else await new Promise((resolve) => setImmediate(resolve));
  }
  writeSync(3, `${JSON.stringify({ id, logged, written })}\n`);
  if (plan.end === 'exit') process.exit(0);
  // For whoever ends it, but not for ever.
  if (plan.end === 'wait') await new Promise((resolve) => setTimeout(resolve, 20_000));
  if (plan.end === 'throw') throw new Error('unexpected');
}

const [text = '{}', id = '0'] = process.argv.slice(2);
const plan: Plan = JSON.parse(text);
if (plan.processes > 1 && id === '0') {
  const others = Array.from({ length: plan.processes }, (_, index) =>
    spawn(process.execPath, [process.argv[1] ?? '', text, String(index + 1)], { stdio: ['ignore', 1, 2, 3] }),
  );
  process.on('SIGTERM', () => {
    for (const other of others) other.kill('SIGTERM');
  });
  await Promise.all(others.map((other) => once(other, 'exit')));
} else if (plan.lines !== undefined) await run(plan, Number(id));
