import { EventEmitter } from 'node:events';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import * as checks from 'lifesign/checks';
import { type Dependency, opinionBy as opinionOn } from '../../../src/checks/second-opinion/opinion.js';
import type { FreshConnection } from '../../../src/checks/second-opinion/fresh.js';
import { toCheck } from '../../../src/frameworks/nestjs/checks.js';
import { abortController } from '../../../src/core/heartbeat/run.js';
import { findingsOf, resultOf } from '../../../src/core/heartbeat/result.js';
import { type OpinionContext, aboutOf } from '../../../src/core/heartbeat/check.js';

const opinionBy = (dependency: Dependency) => {
  const opinion = opinionOn({}, dependency);
  if (opinion === undefined) throw new Error('No second opinion');
  return Object.assign(opinion.ask, { watch: opinion.prepare, release: opinion.release });
};

const checked = { name: 'asked', key: '"asked"', maxLevel: 50 } as const;
const context = (time = 100, messages: unknown = []): OpinionContext => ({
  signal: abortController(performance.now() + time).signal,
  result: resultOf(
    checked,
    { failsFrom: 30, verdictOf: () => undefined },
    1,
    findingsOf('asked', messages, new Set()),
  ),
});

/** A connection that does what it is told, and what became of it. */
function connections(answered: () => Promise<unknown>) {
  const seen = { made: 0, closed: 0, ended: 0, most: 0 };
  const connect = (): FreshConnection => {
    seen.made += 1;
    seen.most = Math.max(seen.most, seen.made - seen.closed);
    return {
      identity: '',
      answered: answered(),
      end: () => void (seen.ended += 1),
      close() {
        seen.closed += 1;
        return undefined;
      },
    };
  };
  return { seen, connect };
}

const never = () => new Promise<never>(() => {});
const full = { used: 4, max: 4, waiting: 2 };

describe('whose trouble it is', () => {
  it.each<[string, () => Promise<unknown>, Partial<Dependency>, string, string]>([
    ['answers', async () => 1, {}, 'instance', 'a fresh connection works'],
    [
      'answers',
      async () => 1,
      { usage: () => ({ used: 3, max: 4 }) },
      'instance',
      'a fresh connection works',
    ],
    [
      'answers, the pool is lent out',
      async () => 1,
      { usage: () => full },
      'shared',
      '4 of 4 connections in use, 2 waiting; the server cannot be asked what the connections do',
    ],
    [
      'answers, the pool gives back',
      () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))),
      {
        usage: () => full,
        onLend: (lent) => {
          setImmediate(lent);
          return () => {};
        },
      },
      'shared',
      'the pool is busy: 4 of 4 connections in use, 2 waiting, and they are being released',
    ],
    ['says nothing', never, {}, 'shared', 'a fresh connection gets no answer either'],
    [
      'fails',
      async () => {
        throw Object.assign(new Error('password of bob at postgres://bob:secret@db failed'), {
          code: '28P01',
        });
      },
      { usage: () => full },
      'shared',
      'a fresh connection fails too: the server rejected the user or password (28P01)',
    ],
  ])('a server that %s', async (_name, answered, more, scope, evidence) => {
    const { seen, connect } = connections(answered);
    expect(await opinionBy({ connect, ...more })(context())).toMatchObject({ scope, evidence });
    expect(seen).toMatchObject({ made: 1, closed: 1 });
  });

  it.each([
    ['ECONNREFUSED', true],
    ['ECONNRESET', true],
    ['Connection terminated unexpectedly', true],
    ['28P01', undefined],
    ['53300', undefined],
  ])('a fresh connection that fails with %s leaves the server unreached: %s', async (code, unreached) => {
    const { connect } = connections(() => Promise.reject(Object.assign(new Error(code), { code })));
    const { unreached: found } = await opinionBy({ connect })(context());
    expect(found).toBe(unreached);
  });

  it.each([
    ['gets no answer', never, true],
    ['is refused', () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })), undefined],
  ])(
    'a pool that is lent out and gives back, while a fresh connection %s',
    async (_name, answered, unreached) => {
      const onLend = (lent: () => void) => {
        setImmediate(lent);
        return () => {};
      };
      const { connect } = connections(answered);
      const since = performance.now();
      const said = await opinionBy({ connect, usage: () => full, onLend })({ ...context(), since });
      expect([said.scope, said.unreached]).toEqual(['shared', unreached]);
    },
  );

  it('a client that does not show how', async () => {
    const shared = { scope: 'shared', evidence: 'this client cannot open a fresh connection' };
    expect(await opinionBy({ connect: () => undefined })(context())).toEqual(shared);
  });

  it('a driver that throws when it is called is no reason to throw', async () => {
    const connect = () => {
      throw new TypeError('Cannot read properties of undefined');
    };
    expect((await opinionBy({ connect })(context())).scope).toBe('shared');
    const closing = {
      identity: '',
      answered: Promise.resolve(),
      close: () => connect(),
      end: () => connect(),
    };
    expect((await opinionBy({ connect: () => closing })(context())).scope).toBe('instance');
    const slow = { identity: '', answered: Promise.resolve(), close: () => undefined, end: never };
    expect((await opinionBy({ connect: () => slow })(context())).scope).toBe('instance');
  });

  it('has one connection at a time, however many ask', async () => {
    const { seen, connect } = connections(never);
    const ask = opinionBy({ connect });
    const said = await Promise.all(Array.from({ length: 50 }, () => ask(context(50))));
    expect(new Set(said.map(({ scope }) => scope))).toEqual(new Set(['shared']));
    expect(seen).toEqual({ made: 1, closed: 1, ended: 0, most: 1 });
    await ask(context(50));
    expect(seen).toMatchObject({ made: 2, closed: 2, most: 1 });
  });

  it('a server that refused for too many connections is left alone', async () => {
    const { seen, connect } = connections(async () => 1);
    const message = new checks.Error('Cannot connect', { id: 'health.E001', fault: 'full' });
    expect(await opinionBy({ connect })(context(100, [message]))).toEqual({
      scope: 'shared',
      evidence: 'the server accepts no more connections',
    });
    expect(seen.made).toBe(0);
  });

  it('no listener stays on a pool once it is released', async () => {
    const pool = new EventEmitter();
    const { connect } = connections(async () => 1);
    const onLend = (lent: () => void) => {
      pool.on('acquire', lent);
      return () => void pool.off('acquire', lent);
    };
    const ask = opinionBy({ connect, usage: () => full, onLend });
    ask.watch?.();
    await ask(context());
    await ask(context());
    expect(pool.listenerCount('acquire')).toBe(1);
    ask.release?.();
    expect(pool.listenerCount('acquire')).toBe(0);
  });
});

describe('the scope of each check', () => {
  const pool = new Pool();
  const redis = new Redis({ lazyConnect: true });
  const client = { db: () => ({ command: async () => {} }), startSession() {}, close: async () => {} };

  it.each([
    ['auto', checks.checkDatabaseConnected(pool)],
    ['auto', checks.checkRedisConnected(redis)],
    ['shared', checks.http('http://127.0.0.1/')],
    ['shared', checks.tcp('127.0.0.1', 1)],
    ['shared', checks.mongo(client)],
    ['shared', checks.redisMemory(redis)],
    ['auto', checks.checkMigrationsApplied({ getMigrations: async () => [] }), false],
    ['instance', checks.disk({ path: '/' })],
    ['shared', checks.memory()],
    ['shared', checks.eventLoop()],
    ['shared', checks.poolUsage(pool)],
  ])('%s', (scope, check, isOffered = scope === 'auto') => {
    const scoped = aboutOf(check);
    expect(scoped.scope).toBe(scope);
    expect(scoped.secondOpinion !== undefined).toBe(isOffered);
    // As an entry of HEALTH_CHECKS on NestJS it is wrapped.
    expect(aboutOf(toCheck(check))).toEqual(scoped);
  });

  it('two checks over one pool ask for one opinion', () => {
    const direct = aboutOf(checks.checkDatabaseConnected(pool)).secondOpinion?.dependency;
    expect(direct).toBe(pool);
    const over = { $client: pool };
    expect(aboutOf(checks.checkDatabaseConnected(over)).secondOpinion?.dependency).toBe(pool);
  });
});
