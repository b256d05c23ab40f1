import { expect, test } from 'vitest';
import { recreate } from '../watchdog/recreate.js';
import { ask, start, watchdogOf } from '../watchdog/start.js';

test('1,000 short blocks in a row: two lines each, no leak, no inspector left', async () => {
  const app = await start({ watchdog: { port: 0, busyAfter: 100 } });
  const watchdog = await watchdogOf(app);
  const rss = async () => {
    const { rss }: { rss: number } = JSON.parse(await app.get('/resources'));
    return rss;
  };
  const run = async (times: number) => {
    for (let count = 0; count < times; count += 1) await app.get(`/short?ms=${150 + (count % 10) * 10}`);
  };
  await run(200);
  const before = await rss();
  const { list }: { list: string[] } = JSON.parse(await app.get('/resources'));
  await run(800);
  const lines = (severity: number) =>
    app.allLoopLines().filter(({ Severity }) => Severity === severity).length;
  // A block that ends in the moment it is noticed has no line, and two that follow at once may be one.
  await expect.poll(() => [lines(4) > 900, lines(4) - lines(6)], { timeout: 30_000 }).toEqual([true, 0]);
  const after: { list: string[] } = JSON.parse(await app.get('/resources'));
  expect(after.list.length).toBeLessThanOrEqual(list.length + 2);
  expect(await rss()).toBeLessThan(before * 1.3 + 20_000_000);
  expect((await ask(watchdog)).state).toBe('ok');
  // Nothing is attached: the process ends at once.
  app.child.kill('SIGTERM');
  await app.exited();
  expect(app.stderr()).not.toContain('debugger');
});

test('1,000 watchdogs on one port, each closed before the next: no leak, and the last one has the port', async () => {
  const [early, late] = await recreate(1000);
  expect(late.listeners).toBeLessThanOrEqual(early.listeners + 2);
  expect(late.rss).toBeLessThan(early.rss * 1.3 + 20_000_000);
});
