import fc from 'fast-check';
import { type Fault, type FaultKind, otherKinds, ownKinds, sharedKinds } from './faults.js';
import type { FleetOptions } from './fleet.js';

/** What HTTP clients do for a while: requests that come again and again to every instance. */
interface Load {
  readonly at: number;
  readonly lasts: number;
  /** Requests at once for each connection of the pool, and seconds between two such bursts. */
  readonly requests: number;
  readonly every: number;
  /** Milliseconds, as a request has them. */
  readonly query: number;
  readonly hold: number;
  readonly patience: number;
}

/** A fleet, what happens to it, and what its clients do. */
export interface Schedule extends FleetOptions {
  /** Seconds between two ordinary requests to each instance; 0 for none. */
  readonly trafficEvery: number;
  readonly loads: readonly Load[];
  readonly faults: readonly Fault[];
}

const kind = fc.oneof(
  fc.constantFrom<FaultKind>(...sharedKinds),
  fc.constantFrom<FaultKind>(...ownKinds),
  fc.constantFrom<FaultKind>(...otherKinds),
);

const fault: fc.Arbitrary<Fault> = fc.record({
  kind,
  at: fc.integer({ min: 20, max: 150 }),
  lasts: fc.integer({ min: 1, max: 150 }),
  share: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.constantFrom(0.1, 0.2, 0.34, 0.5, 0.7) },
    { weight: 1, arbitrary: fc.constant(1) },
  ),
  amount: fc.constantFrom(0, 0.1, 0.25, 0.4, 0.6, 0.8, 1),
});

const load: fc.Arbitrary<Load> = fc.record({
  at: fc.integer({ min: 10, max: 100 }),
  lasts: fc.integer({ min: 1, max: 200 }),
  requests: fc.integer({ min: 1, max: 4 }),
  every: fc.integer({ min: 2, max: 60 }),
  query: fc.constantFrom(0, 5, 2000, 20_000, 90_000),
  hold: fc.constantFrom(0, 3000, 15_000, 45_000, 100_000, 200_000),
  patience: fc.constantFrom(100, 5000, 30_000, 400_000),
});

/** Small fleets mostly: what goes wrong among many goes wrong among a few. */
const instances = fc.oneof(
  { weight: 150, arbitrary: fc.integer({ min: 1, max: 6 }) },
  { weight: 40, arbitrary: fc.integer({ min: 7, max: 20 }) },
  { weight: 5, arbitrary: fc.integer({ min: 21, max: 100 }) },
  { weight: 1, arbitrary: fc.integer({ min: 101, max: 500 }) },
);

const usual = {
  seed: fc.nat(),
  instances,
  peers: fc.boolean(),
  poolSize: fc.integer({ min: 1, max: 4 }),
  checkEvery: fc.integer({ min: 1, max: 10 }),
  startup: fc.integer({ min: 1, max: 20 }),
  trafficEvery: fc.constantFrom(0, 0, 1, 4),
};

export const anySchedule: fc.Arbitrary<Schedule> = fc.record({
  ...usual,
  loads: fc.oneof(fc.constant([]), fc.array(load, { minLength: 1, maxLength: 2 })),
  faults: fc.array(fault, { maxLength: 4 }),
});

/** One fault of a few instances, and requests that are quick: those instances have to leave in time. By chance such schedules are one in thousands. */
export const loneFault: fc.Arbitrary<Schedule> = fc.record({
  ...usual,
  instances: fc.integer({ min: 3, max: 12 }),
  loads: fc.array(
    load.map((each) => ({ ...each, query: 5, hold: 0 })),
    { maxLength: 1 },
  ),
  faults: fc.tuple(
    fc.record({
      kind: fc.constantFrom<FaultKind>('leak', 'dead', 'partition', 'slow path'),
      at: fc.integer({ min: 20, max: 150 }),
      lasts: fc.integer({ min: 45, max: 150 }),
      share: fc.constantFrom(0, 0.1, 0.2),
      amount: fc.constantFrom(0, 0.6, 0.8, 1),
    }),
  ),
});
