import { totalmem } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as checks from 'lifesign/checks';
import { say } from './say.js';

/** What a runtime has of Node's process, for the rest of this test. */
function having(members: Readonly<Record<string, unknown>>): void {
  for (const [name, member] of Object.entries(members)) {
    const own: unknown = Reflect.get(process, name);
    Reflect.set(process, name, member);
    onTestFinished(() => void Reflect.set(process, name, own));
  }
}

describe('checks.memory', () => {
  it.each<[string, unknown, boolean]>([
    ['without a limit', 0, false],
    ['that does not know of limits', undefined, false],
    ['with a limit', 2 ** 20, true],
    ['with a limit above all there is', 2 ** 60, false],
  ])('a container %s', async (_what, limit, isFull) => {
    having({ constrainedMemory: limit === undefined ? undefined : () => limit });
    const said = await say(checks.memory({ error: 1 }));
    expect(said).toEqual(isFull ? [expect.stringContaining(' of 1 MiB memory')] : []);
  });

  it('a container is allowed no more than its machine has', async () => {
    having({ constrainedMemory: () => 2 ** 60 });
    expect(await say(checks.memory({ warn: 1e-12 }))).toEqual([
      expect.stringContaining(` of ${Math.round(totalmem() / 2 ** 20)} MiB memory`),
    ]);
  });
});

it.each([[''], [undefined], [5]])('checks.disk refuses the path %j', (path) => {
  expect(() => checks.disk({ path } as never)).toThrow(
    expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }),
  );
});

describe('checks.eventLoop', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'Date'] }));
  afterEach(() => void vi.useRealTimers());
  const busy = () => checks.eventLoop({ utilization: { warn: 1e-9 }, delay: { warn: 1e9 } });

  it('judges half a second at least', async () => {
    const check = busy();
    // Only a loop that has turned has a utilization.
    await new Promise((resolve) => setImmediate(resolve));
    expect(await say(check)).toEqual([]);
    vi.advanceTimersByTime(500);
    const busyText = /^Warning health\.E019: The event loop is busy \d+ % of the time, above 0 %$/;
    expect(await say(check)).toEqual([expect.stringMatching(busyText)]);
  });

  it('judges the last whole window, also while the next one is measured', async () => {
    const check = busy();
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(10_000);
    const said = await say(check);
    expect(said).toHaveLength(1);
    vi.advanceTimersByTime(9999);
    expect(await say(check)).toEqual(said);
  });
});
