import { timesOf } from './faults.js';
import type { Seen } from './run.js';

/** What the documents promise, in milliseconds and numbers. */
const promises = {
  /** Second opinions of an instance in a minute: one every ten seconds. */
  opinionsPerMinute: 7,
  /** Questions of an instance to its peers in a minute: three for each opinion, and twelve more before it leaves, if those are divided. */
  questionsPerMinute: 105,
  /** Questions that a peer answers in a minute, whatever happens to the fleet: as many as an instance asks. */
  answersPerMinute: 105,
  /** Connections that it opens for them. */
  connectionsPerMinute: 45,
  /** Times that an instance leaves while it has trouble of its own, for each fault that comes and goes meanwhile. */
  leavesPerFault: 4,
  /** The share of a fleet with peers that stays, if no instance needs a restart: if all peers are asked, if a few of them are a sample, and if some give no answer. */
  stays: { all: 0.5, sample: 0.4, silent: 0.25 },
  /** The largest fleet in which all peers are asked. */
  small: 4,
};

/** What a run broke; empty if it kept every promise. */
export function broken(seen: Seen): readonly string[] {
  const all = [sharedTrouble, restarts, flapping, storms, back, unmended, floor];
  return [...seen.missed, ...all.flatMap((look) => look(seen))];
}

const shown = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** What all share, and what clients do, takes no instance out. */
function sharedTrouble({ lefts }: Seen): readonly string[] {
  return lefts
    .filter(({ own }) => !own)
    .map(({ slot, at }) => `shared: instance ${slot} left at ${shown(at)} without trouble of its own`);
}

/** A restart mends something, once for each trouble. */
function restarts({ restarts: all, fleet }: Seen): readonly string[] {
  const needless = all
    .filter(({ restartable }) => !restartable)
    .map(({ slot, at }) => `restart: instance ${slot} at ${shown(at)}, which mends nothing`);
  const loops = fleet.slots.flatMap(({ index, restarts: own, troubles }) => {
    const worth = troubles.filter(({ mended }) => mended === 'restart').length;
    return own.length > worth
      ? [`loop: instance ${index} restarted ${own.length} times for ${worth} troubles`]
      : [];
  });
  return [...needless, ...loops];
}

function flapping({ fleet, schedule: { faults } }: Seen): readonly string[] {
  const all = faults.reduce((sum, fault) => sum + timesOf(fault), 0);
  return fleet.slots.flatMap(({ index, lefts, troubles }) => {
    const most = troubles.length > 0 ? all * promises.leavesPerFault : 0;
    return lefts.length > most
      ? [`flapping: instance ${index} left ${lefts.length} times for ${troubles.length} troubles`]
      : [];
  });
}

/** The most of one process in any minute. */
export function mostInMinute(times: readonly number[], starts: readonly number[]): number {
  let first = 0;
  let most = 0;
  times.forEach((time, index) => {
    const started = starts.findLast((start) => start <= time) ?? 0;
    while ((times[first] ?? time) < Math.max(time - 60_000, started)) first += 1;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

function storms({ fleet }: Seen): readonly string[] {
  return fleet.slots.flatMap(({ index, starts, opinions, asked, answered, reached }) => {
    const found = [
      ['opinions', mostInMinute(opinions, starts), promises.opinionsPerMinute],
      ['questions', mostInMinute(asked, starts), promises.questionsPerMinute],
      ['answers', mostInMinute(answered, starts), promises.answersPerMinute],
      ['connections', mostInMinute(reached, starts), promises.connectionsPerMinute],
    ] as const;
    return found
      .filter(([, count, most]) => count > most)
      .map(([what, count]) => `storm: instance ${index} had ${count} ${what} in a minute`);
  });
}

/** Everybody is back in the end. */
function back({ backAfter, fleet, end }: Seen): readonly string[] {
  if (backAfter !== undefined) return [];
  const away = fleet.slots.filter(({ isReady }) => !isReady).map(({ index }) => index);
  return [`back: instances ${away.join()} are not back at ${shown(end)}`];
}

/** Every leak that no request hides is mended in the end. */
function unmended({ fleet, schedule }: Seen): readonly string[] {
  if (schedule.loads.length > 0) return [];
  return fleet.slots
    .filter(({ process, troubles }) => {
      const isLeaked = troubles.some(({ kind, until }) => kind === 'leak' && until === Infinity);
      return isLeaked && process?.isFailing === true;
    })
    .map(({ index }) => `unmended: instance ${index} still has its leak`);
}

/** What keeps peers from answering: those that are out are not counted then. */
const silencing: ReadonlySet<string> = new Set(['stall', 'suspend', 'kill', 'deploy', 'peers cut']);

/** With peers, part of the fleet stays without a way to the database. A few peers are a sample: half of those that are asked is not half of all. */
function floor({ fewestReady, fleet, schedule }: Seen): readonly string[] {
  const all = fleet.slots.length;
  const { stays, small } = promises;
  const isSilent = schedule.faults.some(({ kind }) => silencing.has(kind));
  const share = isSilent ? stays.silent : all <= small ? stays.all : stays.sample;
  const isBroken = fleet.slots.some(({ troubles }) => troubles.some(({ mended }) => mended === 'restart'));
  if (!schedule.peers || isBroken || all < 2 || fewestReady >= Math.floor(all * share)) return [];
  return [`floor: only ${fewestReady} of ${all} stayed`];
}
