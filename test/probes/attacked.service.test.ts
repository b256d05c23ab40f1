import { expect, it } from 'vitest';
import { pause } from '../core/waiting.js';
import { canStart, startService } from '../services/index.js';
import { freePort } from '../services/port.js';
import { whole } from '../whole.js';
import type { Setup } from './attacked/app.js';
import { attacks, exhaust } from './attacked/clients.js';
import { type Attacked, observe, start, stop } from './attacked/service.js';
import { exhaustByStreams, resets } from './attacked/streams.js';

/** `npm run test:attack` takes the limits of the package and all default options; else a connection may be leaked after three seconds. */
const duration = whole ? 240_000 : 4000;
/** Milliseconds between two attacks of a kind: `npm test` has other things to do. */
const rest = whole ? 300 : 1000;
// Much longer than a leak takes: other requests keep some of the connections for a while.
const hold = whole ? 110_000 : 6000;
const probes = whole ? {} : { probeEvery: 200, secondOpinionEvery: 500, restartAfter: 500 };

/** Every kind of client at once, by turns on each port, until the time is up and `seen` is true. */
async function attack(attacked: Attacked, seen: () => boolean): Promise<void> {
  const { framework, port, probed } = attacked;
  const ports = [...new Set([port, ...probed])];
  const end = performance.now() + duration;
  const latest = end + (whole ? 240_000 : 60_000);
  const goesOn = () => performance.now() < end || (!seen() && performance.now() < latest);
  const repeat = async (what: (turn: number) => Promise<unknown>, wait: number) => {
    for (let turn = 0; goesOn(); turn += 1, await pause(wait)) await what(turn);
  };
  const speaksStreams = framework === 'http2';
  await Promise.all([
    repeat((turn) => (speaksStreams ? exhaustByStreams : exhaust)(port, turn, hold), 0),
    repeat(() => observe(attacked), 50),
    ...(speaksStreams ? [repeat((turn) => resets(port, turn), rest)] : []),
    ...Object.values(attacks).map((each) =>
      repeat((turn) => each(ports[turn % ports.length] ?? 0, turn), rest),
    ),
  ]);
}

/** What the clients bring about: without it the attack proves nothing. */
const troubles = [
  /requests may hold the 3 connections, which run no query/,
  /3 of 3 (?:are running queries|ran a query within)/,
];
const text = (lines: Set<string>) => [...lines].join('\n');

it.skipIf(!canStart('postgres'))(
  'HTTP clients of every kind, for as long as they like, never move a verdict',
  async () => {
    const database = await startService('postgres');
    const running: Attacked[] = [];
    const open = async (setup: Omit<Setup, 'hold' | 'probes' | 'url'>) => {
      const made = await start({ ...setup, url: database.url, hold, probes }, !whole);
      running.push(made);
      return made;
    };
    try {
      // A peer that always reaches the database.
      const peer = await open({ framework: 'node', peers: [`127.0.0.1:${await freePort()}`] });
      const peers = [`127.0.0.1:${peer.port}`];
      const [one, other] = [await freePort(), await freePort()];
      const victims = await Promise.all([
        open({ framework: 'node', peers }),
        open({ framework: 'http2', healthPort: one }),
        ...(whole ? [open({ framework: 'express', healthPort: other })] : []),
      ]);
      await Promise.all(
        victims.map((victim) =>
          attack(victim, () => troubles.every((trouble) => trouble.test(text(victim.lines)))),
        ),
      );
      for (const { framework, answers, changes, lines, child } of victims) {
        const others = [...answers].filter((answer) => !answer.endsWith(' 200'));
        expect(others, `${framework}: ${text(lines)}`).toEqual([]);
        // That all share the trouble is said; it is no change of what the probes answer.
        for (const { live, ready, checks } of changes) {
          expect({ live, ready }, framework).toEqual({ live: 'pass', ready: 'pass' });
          expect(checks.filter(({ scope }) => scope !== 'shared')).toEqual([]);
        }
        // The trouble was real, both times.
        for (const trouble of troubles) expect(text(lines), framework).toMatch(trouble);
        expect(child.exitCode).toBeNull();
      }
    } finally {
      await Promise.all(running.map(stop));
      await database.stop();
    }
  },
  duration + 360_000,
);
