// Runs the schedules that the command gives it, one after the other, in a process of its own.
import { broken } from './invariants.js';
import { run } from './run.js';
import type { Schedule } from './schedule.js';
import { type Counterexample, search } from './search.js';
import { type Row, rowOf } from './table.js';

/** A schedule to run: that of a seed, or one that broke a promise once. */
export interface Task {
  readonly seed: number;
  readonly again?: Schedule;
}

/** What came of it. */
export interface Outcome {
  readonly seed: number;
  /** Undefined for one that ran again. */
  readonly row?: Row;
  readonly broken?: readonly string[];
  readonly counterexample?: Counterexample;
}

async function outcomeOf({ seed, again }: Task): Promise<Outcome> {
  if (again !== undefined) return { seed, broken: broken(await run(again)) };
  let row: Row | undefined;
  const counterexample = await search(seed, { onSeen: (seen) => (row = rowOf(seen)) });
  return {
    seed,
    ...(row && { row }),
    ...(counterexample && { broken: counterexample.broken, counterexample }),
  };
}

// Ctrl+C reaches every process; the command decides when this one ends.
process.on('SIGINT', () => {});
process.on('message', (task: Task) => {
  void outcomeOf(task).then((outcome) => process.send?.(outcome));
});
