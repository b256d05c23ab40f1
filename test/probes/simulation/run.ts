import { abandonedFor } from '../../../src/probes/limits.js';
import { countOf, inflict } from './faults.js';
import { Fleet, type Slot } from './fleet.js';
import type { Mutant } from './process.js';
import type { Schedule } from './schedule.js';
import { quick, type RequestKind, send } from './traffic.js';

/** What was seen in a run. */
export interface Seen {
  readonly fleet: Fleet;
  readonly schedule: Schedule;
  /** When everything was over, in milliseconds. */
  readonly calmFrom: number;
  readonly end: number;
  /** Verdicts that took an instance out, and restarts of the platform, with whether the instance had trouble of its own. */
  readonly lefts: readonly Moment[];
  readonly restarts: readonly Moment[];
  /** The fewest instances that were ready at once, of those whose processes have passed. */
  fewestReady: number;
  /** Milliseconds from the beginning of own trouble until the instance left, by the kind of fault. */
  readonly out: readonly { readonly kind: string; readonly after: number }[];
  /** Own trouble of which an instance in rotation still suffered after the time in which it should have left. */
  readonly missed: readonly string[];
  /** Milliseconds from the end of all faults, and the last leak, until everybody was back; undefined if that never happened. */
  readonly backAfter: number | undefined;
}

interface Moment {
  readonly at: number;
  readonly slot: number;
  readonly own: boolean;
  readonly restartable: boolean;
}

/** Milliseconds for which trouble of its own may show after it has ended: the check that found it is on its way. */
const aftermath = 30_000;
/** Milliseconds that a fleet has to recover from the end of the last fault, if no connection is leaked or dead. */
const usualRecovery = 120_000;

/**
 * The same from the last leak or dead connection. It is proven after a minute, or after five if a request that its client has left may hold it;
 * then the process is restarted with jitter, and starts.
 */
function recoveryOf({ faults, loads, trafficEvery }: Schedule): number {
  if (!faults.some(({ kind }) => kind === 'leak' || kind === 'dead')) return usualRecovery;
  const isBusy = loads.length > 0 || trafficEvery > 0;
  return (isBusy ? 10 : 4) * 60_000;
}

/**
 * Milliseconds of work in the queue of a pool after which an instance gets no more requests of a load. A leak is proven after five minutes, so
 * hours of the same queue show nothing new: without this, one schedule in a hundred took a fifth of all the time.
 */
const longestQueue = 1_200_000;

/** Runs a schedule on virtual time. */
export async function run(schedule: Schedule, mutant?: Mutant): Promise<Seen> {
  const fleet = new Fleet(schedule, mutant);
  const { world, slots } = fleet;
  const lefts: Moment[] = [];
  const restarts: Moment[] = [];
  const out: { kind: string; after: number }[] = [];
  const lastEnd = Math.max(
    30,
    ...schedule.faults.map(({ at, lasts, kind }) => at + Math.max(lasts, kind === 'deploy' ? 20 : 0)),
    ...schedule.loads.map(({ at, lasts, query, hold }) => at + lasts + (query + hold) / 1000),
  );
  const calmFrom = lastEnd * 1000;
  const recovery = recoveryOf(schedule);
  let end = calmFrom + recovery;
  let lastHeld = 0;
  let fewestReady = slots.length;
  let backAt: number | undefined = 0;
  // Requests may keep dead connections for longer than the fault lasts, and then give them back.
  const heldUntil = schedule.loads.some(({ hold }) => hold > 0) ? Infinity : 0;
  const momentOf = (slot: Slot): Moment => {
    const current = slot.troubles.filter(
      ({ kind, from, until }) =>
        from <= world.now && world.now <= (kind === 'dead' ? Math.max(until, heldUntil) : until) + aftermath,
    );
    return {
      at: world.now,
      slot: slot.index,
      own: current.length > 0,
      restartable: current.some(({ mended }) => mended === 'restart'),
    };
  };
  fleet.onChange = (slot, ready) => {
    if (!ready && slot.process?.hasPassed === true) {
      lefts.push(momentOf(slot));
      const trouble = slot.troubles.findLast(({ from, until }) => from <= world.now && world.now <= until);
      if (trouble) out.push({ kind: trouble.kind, after: world.now - trouble.from });
    }
    if (slots.every(({ process }) => process?.wasReady === true)) {
      fewestReady = Math.min(fewestReady, slots.filter(({ isReady }) => isReady).length);
    }
    backAt = slots.every(({ isReady }) => isReady) ? (backAt ?? world.now) : undefined;
  };
  fleet.onRestart = (slot, isSilent) => {
    if (!isSilent) restarts.push(momentOf(slot));
    backAt = undefined;
  };
  for (const fault of schedule.faults) {
    world.at(fault.at * 1000, () => {
      inflict(fleet, fault);
      if (fault.kind === 'kill' || fault.kind === 'deploy') backAt = undefined;
    });
  }
  for (const { at, lasts, requests, every, ...kind } of schedule.loads) {
    for (let after = 0; after < lasts; after += every) {
      world.at((at + after) * 1000, () => {
        for (const { process, inRotation, troubles } of slots) {
          if (process === undefined || !inRotation) continue;
          const onHold = (idleFrom: number, until: number) => {
            const from = idleFrom + abandonedFor;
            // If the answer to its query was long on its way, a request that its client has left holds its connection for longer than is waited for.
            if (from >= until || kind.patience > abandonedFor) return;
            troubles.push({ kind: 'held', from, until, mended: 'restart' });
            lastHeld = Math.max(lastHeld, until);
            end = Math.max(end, until + usualRecovery);
          };
          const work = (process.pool.usage().waiting * (kind.query + kind.hold)) / schedule.poolSize;
          if (work > longestQueue) continue;
          for (let index = 0; index < requests * schedule.poolSize; index += 1) {
            send(process, { ...kind, onHold });
          }
        }
      });
    }
  }
  const { trafficEvery } = schedule;
  if (trafficEvery > 0) {
    for (const slot of slots) {
      const next = () => {
        if (slot.inRotation && slot.process !== undefined) send(slot.process, quick);
        if (world.now < end) world.at(world.now + trafficEvery * 1000 * (0.5 + fleet.random()), next);
      };
      world.at(fleet.random() * trafficEvery * 1000, next);
    }
  }
  const missed: string[] = [];
  watchOut(fleet, schedule, (text) => missed.push(text));
  await world.runUntil(calmFrom + usualRecovery);
  for (; world.now < end && !isOver(fleet); end = Math.max(end, fleet.lastLeak + recovery)) {
    await world.runUntil(Math.min(end, world.now + step));
  }
  for (const { process } of slots) process?.kill();
  const last = Math.max(calmFrom, fleet.lastLeak, lastHeld);
  const backAfter = backAt === undefined ? undefined : Math.max(0, backAt - last);
  return { fleet, schedule, calmFrom, end, lefts, restarts, fewestReady, out, missed, backAfter };
}

/** Milliseconds between two looks at whether a run is over. */
const step = 60_000;

/** Whether nothing can happen any more, after the last fault: every instance is ready, its check passes, and no trouble is left. */
function isOver({ world, slots }: Fleet): boolean {
  return slots.every(
    ({ isReady, process, troubles }) =>
      isReady && process?.isFailing === false && troubles.every(({ until }) => until < world.now),
  );
}

/** Milliseconds within which an instance with trouble of its own has left, or works again. */
const outWithin: Readonly<Record<string, number>> = {
  leak: 110_000,
  dead: 60_000,
  partition: 45_000,
  'slow path': 45_000,
};
/** Amounts of a slow path from which on every answer comes too late for the check. */
const tooSlow = 0.6;
/** Requests that keep no connection for long, unless the path is at fault. */
const isQuick = ({ query, hold }: RequestKind) => query <= quick.query && hold === 0;

/** Looks whether an instance leaves for its own trouble in time, if that is all that happens and most of the fleet is well. */
function watchOut(fleet: Fleet, schedule: Schedule, missed: (text: string) => void): void {
  const { world, slots } = fleet;
  const { faults, loads, peers } = schedule;
  const [fault] = faults;
  if (fault === undefined || faults.length > 1) return;
  const { kind, at, lasts, amount } = fault;
  const limit = outWithin[kind];
  const count = countOf(fault, slots.length);
  const isPath = kind === 'partition' || kind === 'slow path';
  // Without a way to the dependency, an instance stays for the sake of others.
  const isFew = !isPath || count <= slots.length / 4 || (count === 1 && slots.length > 2);
  if (limit === undefined || !isFew) return;
  // Only peers can tell a lost path from an outage.
  if (isPath && (!peers || lasts * 1000 < limit || (kind === 'slow path' && amount < tooSlow))) return;
  if (!(isPath ? loads.every(isQuick) : loads.length === 0)) return;
  world.at(at * 1000 + limit - 1, () => {
    for (const { index, process, isReady, troubles } of slots) {
      // A request that came just before the leak may have what it waits for: that is known when its client has left for long.
      const isUnclear = kind === 'leak' && process?.isServing(fleet.lastLeak) === true;
      if (troubles.length > 0 && process?.isFailing === true && isReady && !isUnclear) {
        missed(`out: instance ${index} is still in ${limit / 1000} s after a ${kind}`);
      }
    }
  });
}
