import type { Fleet, Slot } from './fleet.js';
import { send } from './traffic.js';

/** What may happen to a fleet. */
export interface Fault {
  readonly kind: FaultKind;
  /** Seconds after the start, and that it lasts. */
  readonly at: number;
  readonly lasts: number;
  /** The share of the instances that suffer, from 0 to 1: at least one; ignored for what all share. */
  readonly share: number;
  /** How bad it is, from 0 to 1. */
  readonly amount: number;
}

/** What all instances share. */
export const sharedKinds = [
  'outage',
  'freeze',
  'restart',
  'lock',
  'slow queries',
  'connection limit',
  'password',
  'no DNS',
  'flapping',
] as const;
/** What some instances have for themselves, or all of them at once. */
export const ownKinds = ['leak', 'dead', 'partition', 'slow path', 'flapping path', 'own DNS'] as const;
/** What a platform does, and a machine. */
export const otherKinds = ['stall', 'suspend', 'kill', 'deploy', 'peers cut'] as const;

export type FaultKind =
  | (typeof sharedKinds)[number]
  | (typeof ownKinds)[number]
  | (typeof otherKinds)[number];

/** Milliseconds for which what flaps stays as it is. */
const periodOf = ({ amount }: Fault) => 1000 + amount * 20_000;

/** If what all share comes and goes faster than this, each check can fail and each fresh connection work between: a known limit, which the page names. */
const slowestUnseen = 2000;

/** How often a fault comes and goes. */
export const timesOf = (fault: Fault): number =>
  fault.kind.startsWith('flapping') ? Math.ceil((fault.lasts * 500) / periodOf(fault)) : 1;

/** Begins a fault, and ends it in time. */
export function inflict(fleet: Fleet, fault: Fault): void {
  const { world, database, slots } = fleet;
  const { kind, lasts, amount } = fault;
  const ms = lasts * 1000;
  const chosen = choose(fleet, fault);
  const during = (begin: () => void, end: () => void) => {
    begin();
    world.at(world.now + ms, end);
  };
  const period = periodOf(fault);
  const own = (mended: 'restart' | 'never', until = world.now + ms) => {
    for (const { troubles } of chosen) troubles.push({ kind, from: world.now, until, mended });
  };
  const links = (act: (slot: Slot) => void) => () => {
    for (const slot of chosen) act(slot);
  };
  switch (kind) {
    case 'outage':
      return during(
        () => {
          database.isDown = true;
          database.resetAll();
        },
        () => (database.isDown = false),
      );
    case 'flapping': {
      if (period < slowestUnseen) {
        const until = world.now + ms;
        for (const { troubles } of slots) troubles.push({ kind, from: world.now, until, mended: 'never' });
      }
      for (let after = 0; after < ms; after += period * 2) {
        world.at(world.now + after, () => {
          database.isDown = true;
          database.resetAll();
        });
        world.at(world.now + after + period, () => (database.isDown = false));
      }
      return;
    }
    case 'freeze':
      return during(
        () => (database.isFrozen = true),
        () => {
          database.isFrozen = false;
          database.wake();
        },
      );
    case 'restart':
      return database.resetAll();
    case 'lock':
      return during(
        () => (database.isLocked = true),
        () => {
          database.isLocked = false;
          database.wake();
        },
      );
    case 'slow queries':
      return during(
        () => (database.slowBy = amount * 40_000),
        () => (database.slowBy = 0),
      );
    case 'connection limit':
      return during(
        () => (database.isFull = true),
        () => (database.isFull = false),
      );
    case 'password':
      return during(
        () => {
          database.rejectsPasswords = true;
          database.resetAll();
        },
        () => (database.rejectsPasswords = false),
      );
    case 'no DNS':
      return during(
        () => {
          for (const { link } of slots) link.dnsFaults += 1;
        },
        () => {
          for (const { link } of slots) link.dnsFaults -= 1;
        },
      );
    case 'leak': {
      const onLeak = () => {
        fleet.lastLeak = world.now;
      };
      for (const { process, troubles } of chosen) {
        // One that was never ready gets no requests; and what leaks before its check has passed is not restarted, so that no outage becomes a loop.
        if (process?.hasPassed !== true) continue;
        troubles.push({ kind, from: world.now, until: Infinity, mended: 'restart' });
        for (let index = 0; index < fleet.options.poolSize; index += 1) {
          send(process, { query: 5, hold: 0, patience: 30_000, onLeak });
        }
      }
      return;
    }
    case 'dead':
      own('restart', world.now + 120_000);
      for (const { process } of chosen) {
        for (const connection of process?.pool.all ?? []) {
          connection.isDead = true;
          // The server keeps some of them as idle.
          if (amount > 0.5 && connection.session) database.sessions.delete(connection.session.id);
        }
      }
      return;
    case 'partition':
      own('never');
      return during(
        links(({ link }) => link.cut()),
        links(({ link }) => link.heal()),
      );
    case 'flapping path': {
      own('never');
      for (let after = 0; after < ms; after += period * 2) {
        world.at(
          world.now + after,
          links(({ link }) => link.cut()),
        );
        world.at(
          world.now + after + period,
          links(({ link }) => link.heal()),
        );
      }
      return;
    }
    case 'slow path':
      own('never');
      return during(
        links(({ link }) => (link.delay = 200 + amount * 4000)),
        links(({ link }) => (link.delay = 1)),
      );
    case 'own DNS':
      own('never');
      return during(
        links(({ link }) => (link.dnsFaults += 1)),
        links(({ link }) => (link.dnsFaults -= 1)),
      );
    case 'stall':
    case 'suspend':
      own('never', world.now + 15_000);
      for (const { process } of chosen) process?.clock.stall(500 + amount * 14_000, kind === 'suspend');
      return;
    case 'kill':
      for (const slot of chosen) fleet.replace(slot);
      return;
    case 'deploy':
      slots.forEach((slot, index) => {
        world.at(world.now + (index / slots.length) * Math.max(ms, 20_000), () => fleet.replace(slot));
      });
      return;
    case 'peers cut':
      return during(
        links((slot) => (slot.isCutFromPeers = true)),
        links((slot) => (slot.isCutFromPeers = false)),
      );
  }
}

/** How many instances of a fleet suffer. */
export const countOf = ({ share }: Fault, all: number): number => Math.max(1, Math.round(share * all));

/** The instances that suffer; the same for the same fleet and fault. */
function choose({ slots }: Fleet, fault: Fault): readonly Slot[] {
  const first = Math.floor(fault.at * 7) % slots.length;
  return Array.from(
    { length: countOf(fault, slots.length) },
    (_each, index) => slots[(first + index) % slots.length] as Slot,
  );
}
