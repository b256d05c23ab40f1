import { afterEach, describe, expect, it, vi } from 'vitest';
import { Error as ErrorMessage, Warning } from 'lifesign/checks';
import { requestId } from 'lifesign';
import { Health } from 'lifesign/fetch';
import { makeHealth } from '../make-health.js';
import { deferred } from '../waiting.js';

/** From here on time passes only when a test says so. */
const holdTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
afterEach(() => void vi.useRealTimers());

const idOf = (heartbeat: { results: readonly { messages: readonly { id: string }[] }[] }) =>
  heartbeat.results[0]?.messages[0]?.id;

describe('cacheFor', () => {
  it('serves a result again within its time, also a failure', async () => {
    const { health } = makeHealth();
    let runs = 0;
    health.check(
      'fails',
      () => {
        runs += 1;
        throw new Error(`down ${runs}`);
      },
      { cacheFor: 600_000 },
    );
    const texts = new Set<string | undefined>();
    for (let beat = 0; beat < 5; beat += 1) {
      texts.add((await health.heartbeat()).results[0]?.messages[0]?.text);
    }
    expect([...texts]).toEqual(['Check fails threw Error: down 1']);
    health.close();
  });

  it('what is served again is not logged again: a flood of heartbeats is no flood of log lines', async () => {
    holdTime();
    const { health, records } = makeHealth({ failureLogInterval: 0 });
    let runs = 0;
    health.check(
      'fails',
      () => {
        runs += 1;
        throw new Error(`down ${runs}`);
      },
      { cacheFor: 1000 },
    );
    for (let beat = 0; beat < 20; beat += 1) await health.heartbeat();
    expect(records.map(({ msg }) => msg)).toEqual(['health.E011: Check fails threw Error: down 1']);
    await vi.advanceTimersByTimeAsync(800); // renewed in the background
    expect(runs).toBe(2);
    for (let beat = 0; beat < 20; beat += 1) await health.heartbeat();
    expect(records.map(({ msg }) => msg).slice(1)).toEqual(['health.E011: Check fails threw Error: down 2']);
    health.close();
  });

  it('those who ask while it runs wait for the same run', async () => {
    const { health, records } = makeHealth({ failureLogInterval: 0 });
    let runs = 0;
    const end = deferred();
    health.check(
      'slow',
      async () => {
        runs += 1;
        await end.promise;
        return [new Warning('w', { id: 'a.W' })];
      },
      { cacheFor: 600_000 },
    );
    const asked = Array.from({ length: 20 }, () => health.heartbeat());
    end.resolve();
    const beats = await Promise.all(asked);
    expect(runs).toBe(1);
    expect(beats.map(({ status }) => status)).toEqual(Array(20).fill('warning'));
    expect(records).toHaveLength(1);
    health.close();
  });

  it('never serves a result older than its bound: the check is run, and a hang is an Error', async () => {
    holdTime();
    const { health } = makeHealth({ timeout: 20 });
    let hang = false;
    health.check('flips', () => (hang ? new Promise(() => {}) : undefined), { cacheFor: 30 });
    expect((await health.heartbeat()).status).toBe('ok');
    health.close(); // no renewal: the result grows old
    hang = true;
    await vi.advanceTimersByTimeAsync(30);
    const hung = health.heartbeat();
    await vi.advanceTimersByTimeAsync(20);
    expect(idOf(await hung)).toBe('health.E012');
    await vi.advanceTimersByTimeAsync(30);
    expect(idOf(await health.heartbeat())).toBe('health.E013');
  });

  it('the bound is kept when the wall clock is set back', async () => {
    vi.useFakeTimers();
    const { health } = makeHealth();
    let runs = 0;
    health.check('counted', () => void (runs += 1), { cacheFor: 20 });
    await health.heartbeat();
    health.close();
    vi.setSystemTime(Date.now() - 86_400_000);
    vi.advanceTimersByTime(20);
    await health.heartbeat();
    expect(runs).toBe(2);
  });

  it('is renewed in the background while somebody asks, so that no heartbeat waits, and on behalf of no request', async () => {
    holdTime();
    const health = new Health({ logger: false });
    const inRequest: (string | undefined)[] = [];
    health.check('renewed', () => void inRequest.push(requestId()), { cacheFor: 200 });
    const headers = { 'X-Request-Id': 'the-first-request' };
    await health.respond(new Request('http://localhost/__heartbeat__', { headers }));
    await health.heartbeat();
    await vi.advanceTimersByTimeAsync(150);
    expect(inRequest).toEqual(['the-first-request', undefined]);
    health.close();
  });

  it('a check that nobody asks for is left in peace', async () => {
    holdTime();
    const { health } = makeHealth();
    let runs = 0;
    health.check('idle', () => void (runs += 1), { cacheFor: 20 });
    await health.heartbeat();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(runs).toBe(1);
    health.close();
  });

  it('what lapsed while nobody asked is renewed by the next who asks, who does not wait for it', async () => {
    holdTime();
    const { health } = makeHealth();
    let runs = 0;
    const second = deferred();
    health.check(
      'lapsed',
      () => {
        runs += 1;
        return runs === 1 ? undefined : second.promise;
      },
      { cacheFor: 2000 },
    );
    await health.heartbeat();
    await vi.advanceTimersByTimeAsync(1600); // the time to renew has come, the bound has not
    expect(runs).toBe(1);
    expect((await health.heartbeat()).status).toBe('ok');
    expect(runs).toBe(2);
    second.resolve();
    health.close();
  });

  it('close() stops the renewal', async () => {
    holdTime();
    const { health } = makeHealth();
    let runs = 0;
    health.check('closed', () => void (runs += 1), { cacheFor: 30 });
    await health.heartbeat();
    await health.heartbeat();
    health.close();
    await vi.advanceTimersByTimeAsync(1000);
    expect(runs).toBe(1);
    await health.heartbeat();
    expect(runs).toBe(2);
  });

  it('holds for all checks as an option, which a check may overrule', async () => {
    const { health } = makeHealth({ cacheFor: 600_000, checkOptions: { third: { cacheFor: 0 } } });
    const runs = { first: 0, second: 0, third: 0 };
    health.check('first', () => void (runs.first += 1));
    health.check('second', () => void (runs.second += 1), { cacheFor: 0 });
    health.check('third', () => void (runs.third += 1));
    for (let beat = 0; beat < 3; beat += 1) await health.heartbeat();
    expect(runs).toEqual({ first: 1, second: 3, third: 3 });
    health.close();
  });

  it('instances do not renew in step: the time to renew is spread', async () => {
    holdTime();
    const times = new Set<number>();
    for (let instance = 0; instance < 20; instance += 1) {
      const { health } = makeHealth();
      const started = performance.now();
      let renewed = 0;
      let runs = 0;
      health.check(
        'spread',
        () => {
          runs += 1;
          if (runs === 2) renewed = performance.now() - started;
        },
        { cacheFor: 1000 },
      );
      await health.heartbeat();
      await health.heartbeat();
      await vi.advanceTimersByTimeAsync(800);
      health.close();
      expect(renewed).toBeGreaterThanOrEqual(499);
      expect(renewed).toBeLessThanOrEqual(751);
      times.add(renewed);
    }
    expect(times.size).toBeGreaterThan(5);
  });

  it('a background run that fails is served as the failure it is', async () => {
    holdTime();
    const { health } = makeHealth();
    let down = false;
    health.check('flips', () => (down ? [new ErrorMessage('down', { id: 'a.E' })] : []), { cacheFor: 100 });
    await health.heartbeat();
    expect((await health.heartbeat()).status).toBe('ok');
    down = true;
    await vi.advanceTimersByTimeAsync(75);
    expect((await health.heartbeat()).status).toBe('error');
    health.close();
  });

  it('is new to the first heartbeat, and repeated in those that waited with it and in later ones', async () => {
    holdTime();
    const { health } = makeHealth({ cacheFor: 100 });
    health.check('slow', () => new Promise<void>((resolve) => void setTimeout(() => resolve(), 10)));
    const repeated = async () => (await health.heartbeat()).results.map((each) => each.repeated);
    const waiting = [repeated(), repeated()];
    await vi.advanceTimersByTimeAsync(10);
    expect(await Promise.all(waiting)).toEqual([[undefined], [true]]);
    expect(await repeated()).toEqual([true]);
    await vi.advanceTimersByTimeAsync(80); // renewed in the background
    expect([await repeated(), await repeated()]).toEqual([[undefined], [true]]);
    health.close();
  });

  it.each([
    [0, 500],
    [300, 500],
    [450, 550],
    [900, 1000],
  ])(
    'of a check that takes %i of 1000 ms is renewed at %i: earlier by its time, and never at once',
    async (duration, renewed) => {
      holdTime();
      vi.spyOn(Math, 'random').mockReturnValue(0);
      const { health } = makeHealth({ cacheFor: 1000 });
      let runs = 0;
      health.check('timed', () => {
        runs += 1;
        if (duration > 0) return new Promise<void>((resolve) => void setTimeout(resolve, duration));
        return undefined;
      });
      const first = health.heartbeat();
      await vi.advanceTimersByTimeAsync(duration);
      await first;
      await health.heartbeat();
      await vi.advanceTimersByTimeAsync(renewed - duration - 1);
      expect(runs).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(runs).toBe(2);
      health.close();
      await vi.advanceTimersByTimeAsync(1000);
      expect(vi.getTimerCount()).toBe(0);
      vi.restoreAllMocks();
    },
  );
});
