import { afterEach, describe, expect, it, vi } from 'vitest';
import { Warning } from 'lifesign/checks';
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
    await vi.advanceTimersByTimeAsync(1000);
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

  it('is new to the first heartbeat, and repeated in those that waited with it and in later ones', async () => {
    holdTime();
    const { health } = makeHealth({ cacheFor: 100 });
    health.check('slow', () => new Promise<void>((resolve) => void setTimeout(() => resolve(), 10)));
    const repeated = async () => (await health.heartbeat()).results.map((each) => each.repeated);
    const waiting = [repeated(), repeated()];
    await vi.advanceTimersByTimeAsync(10);
    expect(await Promise.all(waiting)).toEqual([[undefined], [true]]);
    expect(await repeated()).toEqual([true]);
    await vi.advanceTimersByTimeAsync(100);
    const again = repeated();
    await vi.advanceTimersByTimeAsync(10);
    expect([await again, await repeated()]).toEqual([[undefined], [true]]);
    health.close();
  });
});
