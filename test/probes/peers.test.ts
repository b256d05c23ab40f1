import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Error as ErrorMessage } from 'lifesign/checks';
import { realClock } from '../../src/core/clock.js';
import { findingsOf } from '../../src/core/heartbeat/findings.js';
import { resultOf } from '../../src/core/heartbeat/result.js';
import type { Opinion } from '../../src/core/heartbeat/scope.js';
import { opinionOf } from '../../src/probes/opinions.js';
import { answerIn, PeerClient } from '../../src/probes/peer-client.js';
import { PeerDecision } from '../../src/probes/peer-decision.js';
import type { PeerTransport } from '../../src/probes/peer-transport.js';
import { judgeByPeers, type PeerAnswer } from '../../src/probes/peers.js';
import { Track } from '../../src/probes/track.js';
import { pause } from '../core/waiting.js';

const unreached: Opinion = { scope: 'shared', evidence: 'a fresh connection fails too', unreached: true };
const leaked: Opinion = { scope: 'instance', evidence: 'leaked or dead' };
const asker = { failedFor: 2000, isOut: false, wasKept: false };
const say = (...states: readonly PeerAnswer['state'][]) => states.map((state) => ({ state, age: 500 }));

it.each<[string, Opinion, readonly PeerAnswer[], Partial<typeof asker>, 'instance' | 'shared']>([
  ['a peer reaches it', unreached, say('pass', 'fail', 'fail'), {}, 'instance'],
  ['no peer does', unreached, say('fail', 'fail'), {}, 'shared'],
  ['a peer reached it before it failed here', unreached, [{ state: 'pass', age: 2001 }], {}, 'shared'],
  ['no peer answers', unreached, [], {}, 'shared'],
  ['no peer knows', leaked, say('unknown'), {}, 'instance'],
  ['half of the peers are out', unreached, say('pass', 'out'), {}, 'shared'],
  ['half are out, and the trouble is its own', leaked, say('pass', 'out'), {}, 'shared'],
  ['fewer are out', leaked, say('pass', 'pass', 'out'), {}, 'instance'],
  ['a third is out, and it stayed before', leaked, say('pass', 'pass', 'out'), { wasKept: true }, 'shared'],
  ['none is out, and it stayed before', leaked, say('pass', 'pass', 'fail'), { wasKept: true }, 'instance'],
  ['it is out with half of them', leaked, say('pass', 'out'), { isOut: true }, 'instance'],
  ['half leave at the same time', leaked, say('pass', 'leaving'), {}, 'shared'],
  ['it is out, and the others may follow', leaked, say('leaving', 'leaving'), { isOut: true }, 'instance'],
  ['it is out with all of them', leaked, say('out', 'out'), { isOut: true }, 'shared'],
])('%s', (_name, opinion, answers, more, scope) => {
  expect(judgeByPeers(opinion, answers, { ...asker, ...more }).scope).toBe(scope);
});

it('who stays because of peers that are only about to leave may leave next time', () => {
  expect(judgeByPeers(leaked, say('pass', 'leaving'), asker).isKept).toBe(false);
  expect(judgeByPeers(leaked, say('pass', 'out'), asker).isKept).toBe(true);
});

it('whatever peers say, they make no instance leave that is reached, and none while half of them are out', () => {
  const answer = fc.record({
    state: fc.constantFrom('pass', 'fail', 'leaving', 'out', 'unknown'),
    age: fc.nat(60_000),
  });
  fc.assert(
    fc.property(
      fc.array(answer, { maxLength: 3 }),
      fc.constantFrom(unreached, leaked),
      fc.nat(60_000),
      (answers, opinion, failedFor) => {
        const { scope } = judgeByPeers(opinion, answers, { ...asker, failedFor });
        const known = answers.filter(({ state }) => state !== 'unknown');
        const out = known.filter(({ state }) => state === 'out' || state === 'leaving');
        if (known.length > 0 && out.length * 2 >= known.length) expect(scope).toBe('shared');
        if (opinion === unreached && scope === 'instance') {
          expect(known.some(({ state, age }) => state === 'pass' && age <= failedFor)).toBe(true);
        }
      },
    ),
  );
});

it('an answer that is none is dropped', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const answer = answerIn(text);
      if (answer !== undefined) expect(['pass', 'fail', 'leaving', 'out', 'unknown']).toContain(answer.state);
    }),
  );
  expect(answerIn('{"state":"pass","age":5,"id":"x"}')).toEqual({ state: 'pass', age: 5, id: 'x' });
  expect(answerIn('{"state":"gone","age":5}')).toBeUndefined();
  expect(answerIn('{"state":"pass","age":-1}')).toBeUndefined();
});

it('of a process that was busy itself, no peer is asked why a connection got no answer', async () => {
  const result = resultOf(
    { name: 'db', key: '"db"', maxLevel: 50 },
    { failsFrom: 30, verdictOf: () => undefined },
    1,
    findingsOf('db', new ErrorMessage('no', { id: 'a.E1' }), new Set()),
  );
  const saidBy = (isBusy: boolean, opinion: Opinion) =>
    opinionOf({ dependency: {}, ask: async () => opinion }, result, {
      every: 1000,
      since: 0,
      confirmsFrom: undefined,
      clock: realClock,
      watchDelay: () => () => isBusy,
      mayRun: () => false,
    })?.said;
  expect(await saidBy(false, unreached)).toEqual(unreached);
  const evidence = `${unreached.evidence}; this process was too busy to know why`;
  expect(await saidBy(true, unreached)).toEqual({ scope: 'shared', evidence });
  // What the server said is not a matter of time.
  expect(await saidBy(true, leaked)).toEqual(leaked);

  const judgedBy = (isBusy: boolean, reaches: boolean) => {
    const track = new Track({
      scope: 'auto',
      hasOpinion: true,
      failureThreshold: 1,
      successThreshold: 1,
      restartAfter: 0,
    });
    track.record(true, performance.now() - 2000);
    const check = { name: 'db', secondOpinion: { dependency: {}, reaches: async () => reaches } };
    const peers = { ask: async () => say('pass'), watchDelay: () => () => isBusy };
    // The decision uses nothing else of the check.
    return new PeerDecision(check as never, track, realClock, peers).judge(unreached);
  };
  expect(await judgedBy(false, false)).toMatchObject({ scope: 'instance', unreached: true });
  expect(await judgedBy(true, false)).toEqual({ scope: 'shared', evidence });
  expect((await judgedBy(true, true)).evidence).toContain('works again');
});

it('peers that were found before are asked when their name cannot be looked up', async () => {
  let hasDns = true;
  const asked: string[] = [];
  const transport: PeerTransport = {
    placesOf: async () => (hasDns ? [{ address: '10.0.0.1', port: 1 }] : []),
    get: async ({ address }) => {
      asked.push(address);
      return '{"state":"pass","age":0,"id":"other"}';
    },
    watchDelay: () => () => false,
  };
  const client = new PeerClient(['shop:1'], realClock, transport);
  client.refresh();
  await pause(0);
  hasDns = false;
  expect(await client.query('db', performance.now() - 5000, true)).toHaveLength(1);
  expect(asked).toEqual(['10.0.0.1']);
});

it('three peers are asked, also if this instance is found among them', async () => {
  const places = [1, 2, 3, 4, 5].map((port) => ({ address: '10.0.0.1', port }));
  for (let turn = 0; turn < 20; turn += 1) {
    const asked: number[] = [];
    const client: PeerClient = new PeerClient(['shop:1'], realClock, {
      placesOf: async () => places,
      get: async ({ port }) => {
        asked.push(port);
        return JSON.stringify({ state: 'pass', age: 0, id: port === 1 ? client.id : 'other' });
      },
      watchDelay: () => () => false,
    });
    expect(await client.query('db', performance.now() - 5000, true)).toHaveLength(3);
    expect(asked.filter((port) => port !== 1)).toHaveLength(3);
    asked.length = 0;
    await client.query('db', performance.now() - 5000, true);
    expect(new Set(asked).size).toBe(asked.length);
  }
});

it.each([
  [['out', 'pass', 'pass'], 15],
  [['leaving', 'fail', 'pass'], 15],
  [['pass', 'fail', 'unknown'], 3],
  [['out', 'leaving', 'pass'], 15],
  [['out', 'out', 'out'], 3],
] as const)('of three peers that say %j, as many are asked in all: %i', async (first, all) => {
  const asked: number[] = [];
  const client = new PeerClient(['shop:1'], realClock, {
    placesOf: async () => Array.from({ length: 20 }, (_, port) => ({ address: '10.0.0.1', port })),
    get: async ({ port }) => {
      const state = first[asked.length] ?? 'pass';
      asked.push(port);
      return JSON.stringify({ state, age: 0, id: 'other' });
    },
    watchDelay: () => () => false,
  });
  expect(await client.query('db', performance.now() - 5000, true)).toHaveLength(all);
  expect(new Set(asked).size).toBe(all);
});
