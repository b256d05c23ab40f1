import fc from 'fast-check';
import { broken } from './invariants.js';
import type { Mutant } from './process.js';
import { run, type Seen } from './run.js';
import { anySchedule, loneFault, type Schedule } from './schedule.js';

/** A schedule that breaks a promise, and how it is made again. */
export interface Counterexample {
  readonly seed: number;
  readonly broken: readonly string[];
  readonly schedule: Schedule;
}

/** Every sixteenth schedule has one fault, which has to be found. */
const loneEvery = 16;

/** The schedule of a seed. */
export function scheduleOf(seed: number): Schedule {
  const [schedule] = fc.sample(seed % loneEvery === 0 ? loneFault : anySchedule, { numRuns: 1, seed });
  if (schedule === undefined) throw new Error('fast-check made no schedule');
  return schedule;
}

/** Runs the schedule of a seed: what it broke, made smaller, or nothing. */
export async function search(
  seed: number,
  { mutant, onSeen }: { mutant?: Mutant; onSeen?: (seen: Seen) => void } = {},
): Promise<Counterexample | undefined> {
  let schedule = scheduleOf(seed);
  const seen = await run(schedule, mutant);
  onSeen?.(seen);
  let found = broken(seen);
  if (found.length === 0) return undefined;
  for (const smaller of smallerThan(schedule)) {
    const candidate = smaller(schedule);
    const still = broken(await run(candidate, mutant));
    if (still.length > 0) [schedule, found] = [candidate, still];
  }
  return { seed, broken: found.slice(0, 3), schedule };
}

/** Ways to make a schedule smaller: without each fault and each load, without traffic, with fewer instances. */
function smallerThan({ faults, loads }: Schedule): ((schedule: Schedule) => Schedule)[] {
  return [
    (schedule) => ({ ...schedule, instances: Math.min(schedule.instances, 4) }),
    (schedule) => ({ ...schedule, trafficEvery: 0 }),
    ...faults.map((fault) => (schedule: Schedule) => ({
      ...schedule,
      faults: schedule.faults.filter((each) => each !== fault),
    })),
    ...loads.map((load) => (schedule: Schedule) => ({
      ...schedule,
      loads: schedule.loads.filter((each) => each !== load),
    })),
  ];
}
