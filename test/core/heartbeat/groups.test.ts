import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandler, type HealthOptions } from 'lifesign';
import { makeHealth } from '../make-health.js';
import { turn } from '../waiting.js';
import { stillClock } from '../still-clock.js';

/** The names of the checks of a report in their order; an object would sort them, and lose `__proto__`. */
function namesIn(body: string): string[] {
  const [, checks = ''] = /"checks":\{(.*)\},"details"/.exec(body) ?? [];
  return [...checks.matchAll(/("(?:[^"\\]|\\.)*"):"\w+"/g)].map(([, name = '']) => name);
}

describe('a group', () => {
  test('is for any choice of checks what the heartbeat says of them', async () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(names, fc.infiniteStream(fc.boolean()), async (checks, coin) => {
        const chosen = checks.filter(() => coin.next().value === true);
        if (chosen.length === 0) return;
        const { health, ask } = makeHealth({ groups: { some: chosen } });
        for (const name of checks) health.check(name, () => (coin.next().value ? { junk: 1 } : []) as []);
        const part = namesIn((await ask('/__heartbeat__/some')).body);
        const whole = namesIn((await ask()).body);
        expect(part).toEqual(whole.filter((name) => part.includes(name)));
        expect(part).toHaveLength(chosen.length);
      }),
    );
  });

  test('shares the runs of its checks with the heartbeat: a hung one is not started again', async () => {
    let started = 0;
    const { health, report } = makeHealth({
      groups: { a: ['hung'], b: ['hung'] },
      timeout: 10,
      coalesce: true,
    });
    health.check('hung', () => {
      started += 1;
      return new Promise<void>(() => {});
    });
    const idsOf = async (asked: ReturnType<typeof report>) =>
      Object.keys((await asked)?.body.details.hung.messages);
    const time = stillClock();
    try {
      const first = report('/__heartbeat__/a');
      time.forward(10);
      expect(await idsOf(first)).toEqual(['health.E012']);
      expect(await idsOf(report('/__heartbeat__/b'))).toEqual(['health.E013']);
      expect(await idsOf(report('/__heartbeat__'))).toEqual(['health.E013']);
    } finally {
      time.restore();
    }
    expect(started).toBe(1);
  });

  test.each([
    [10, 1, 'heartbeat first'],
    [1, 10, 'heartbeat first'],
    [10, 1, 'group first'],
    [1, 10, 'group first'],
    [30, 30, 'group first'],
  ])('%i heartbeats and %i of a group at once, %s: each has its checks', async (beats, parts, order) => {
    const { health, report } = makeHealth({ groups: { db: ['b'] } });
    health.check('a', turn);
    health.check('b', turn);
    const all = () => Array.from({ length: beats }, () => report('/__heartbeat__'));
    const some = () => Array.from({ length: parts }, () => report('/__heartbeat__/db'));
    const early = order === 'group first' ? some() : [];
    const whole = all();
    const parted = await Promise.all(order === 'group first' ? early : some());
    for (const answer of await Promise.all(whole)) expect(answer.body.checks).toEqual({ a: 'ok', b: 'ok' });
    for (const answer of parted) expect(answer.body.checks).toEqual({ b: 'ok' });
  });

  test('has no listeners to wait for: the next heartbeat of it begins at once', async () => {
    let started = 0;
    const { health, report } = makeHealth({ groups: { a: ['one'] } });
    health.check('one', () => void (started += 1));
    await report('/__heartbeat__/a');
    const next = report('/__heartbeat__/a');
    expect(started).toBe(2);
    await next;
  });

  test('serves cached results of the heartbeat, and is coalesced by itself', async () => {
    let started = 0;
    const { health, report } = makeHealth({ groups: { a: ['one'] }, cacheFor: 60_000 });
    health.check('one', () => void (started += 1));
    await report('/__heartbeat__');
    await report('/__heartbeat__/a');
    expect(started).toBe(1);
    health.close();

    const busy = makeHealth({ groups: { a: ['slow'] }, coalesce: true });
    let slow = 0;
    busy.health.check('slow', async () => {
      slow += 1;
      await turn();
    });
    await Promise.all(Array.from({ length: 20 }, () => busy.report('/__heartbeat__/a')));
    expect(slow).toBe(1);
  });

  test('asked for inside one of its checks is refused as the heartbeat is', async () => {
    const { health, report } = makeHealth({ groups: { a: ['curious'] } });
    let seen: unknown;
    health.check('curious', async () => {
      seen = await report('/__heartbeat__/a');
    });
    await report('/__heartbeat__/a');
    expect(JSON.stringify(seen)).toContain('health.E009');
  });

  test('takes checks that are registered after it was asked', async () => {
    const { health, report } = makeHealth({ groups: { a: ['late'] } });
    expect((await report('/__heartbeat__/a')).status).toBe(500);
    health.check('late', () => []);
    expect(await report('/__heartbeat__/a')).toEqual({
      status: 200,
      body: { status: 'ok', checks: { late: 'ok' }, details: {} },
    });
  });

  test('a later change of the object that was given changes nothing', async () => {
    const groups = { a: ['one'] };
    const { health, report } = makeHealth({ groups });
    health.check('one', () => []);
    groups.a.push('two');
    expect((await report('/__heartbeat__/a')).body.checks).toEqual({ one: 'ok' });
  });
});

describe('a check that nobody registered', () => {
  test('is never green, and the nearest name is named', async () => {
    const { health, records, report } = makeHealth({ groups: { a: ['check_redis', 'fine'] } });
    health.check('fine', () => []);
    health.check('check_redis_connected', () => []);
    const answer = await report('/__heartbeat__/a');
    expect(answer.status).toBe(500);
    expect(answer.body.details.check_redis.messages).toEqual({
      'health.E030': 'No check has this name: did you mean check_redis_connected?',
    });
    expect(records.map(({ msg }) => msg)).toContain(
      'health.E030: No check has this name: did you mean check_redis_connected?',
    );
  });
});

test('a group whose path is that of the health page is refused', () => {
  const make = (options: HealthOptions) => createHandler({ logger: false, ...options });
  const groups = { payments: ['stripe'] };
  expect(() => make({ groups, page: { path: '/__heartbeat__/payments' } })).toThrow(
    'The path of group payments is "/__heartbeat__/payments"; it must be a path that no other feature uses.',
  );
  make({ groups, page: { path: '/__heartbeat__/payment' } });
});
