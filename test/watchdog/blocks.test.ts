import { describe, expect, it } from 'vitest';
import { until } from '../core/waiting.js';
import { chosen } from '../whole.js';
import { ask, gate, launch, start, watchdogOf } from './start.js';

const native = 'in native code or garbage collection, no stack';

describe('a block that runs JavaScript', { timeout: 60_000 }, () => {
  const computing = [
    ['loop', 'spinLoop (blocks.mjs:'],
    ['regexp', 'matchRegexp (blocks.mjs:'],
  ] as const;
  it.each(chosen(computing, 'loop'))(
    '%s: the port says busy, the line names the function',
    async (block, culprit) => {
      const app = await start({ block, ms: 2000 });
      const watchdog = await watchdogOf(app);
      expect(await ask(watchdog)).toMatchObject({ status: 200, state: 'ok' });
      app.send('/prepared?token=secret');
      await until(async () => (await ask(watchdog)).state === 'busy');
      // On a busy machine the start may have been a block of its own.
      const lines = () => app.loopLines().filter(({ Fields }) => String(Fields['culprit']).includes(culprit));
      await until(() => lines().length === 2);
      const [first, second] = lines();
      expect(first).toMatchObject({
        Severity: 4,
        Logger: 'lifesign',
        Pid: app.child.pid,
        Fields: { culprit: expect.stringContaining(culprit), method: 'GET', path: '/prepared' },
      });
      const summary = app.lines().find(({ Fields }) => Fields['path'] === '/prepared' && 'code' in Fields);
      expect(first?.Fields['rid']).toBe(summary?.Fields['rid']);
      expect(first?.Fields['stack']).toMatch(/^at .*/);
      expect(first?.Fields['stack']).toContain('(node:events:');
      expect(first?.Fields['stack']).toContain(' [node]');
      expect(second).toMatchObject({ Severity: 6, Fields: { culprit: first?.Fields['culprit'] } });
      expect(Number(second?.Fields['blockedFor'])).toBeGreaterThan(Number(first?.Fields['blockedFor']));
      await until(async () => (await ask(watchdog)).state === 'ok');
    },
  );
});

describe('a block in native code', { timeout: 90_000 }, () => {
  it.each(chosen(['json', 'fifo', 'pbkdf2'], 'pbkdf2'))(
    '%s: the line says so and names nothing',
    async (block) => {
      const app = await start(
        { block, ms: block === 'json' ? 800 : 1500 },
        { execArgv: ['--max-old-space-size=4000'] },
      );
      const watchdog = await watchdogOf(app);
      app.send('/prepared');
      await until(async () => (await ask(watchdog)).state === 'busy');
      const line = () => app.loopLines().find(({ Fields }) => Fields['noStack'] === native);
      await until(() => line() !== undefined);
      const first = line();
      expect(first?.Fields).not.toHaveProperty('stack');
      expect(first?.Fields).not.toHaveProperty('culprit');
    },
  );
});

describe('a block', { timeout: 60_000 }, () => {
  const firstTurns = [
    ['app.mjs', 'spinUntil'],
    ['first-turn.cjs', 'waitFor'],
  ] as const;
  it.each(firstTurns)('of the very first turn is seen: %s', async (file, culprit) => {
    const { path, open } = gate();
    const setup = { firstTurn: path, watchdog: { port: 0, busyAfter: 300 } };
    const app = launch(file, [JSON.stringify(setup)]);
    // Written by the thread: the main thread waits for the gate.
    await until(() => app.loopLines().length === 1 || app.ended() !== undefined);
    open();
    await until(() => app.loopLines().length === 2);
    expect(app.loopLines()[0]?.Fields).toMatchObject({
      culprit: expect.stringContaining(`${culprit} (${file}:`),
    });
  });

  it('becomes stuck', async () => {
    const { path, open } = gate();
    const app = await start({ watchdog: { port: 0, busyAfter: 200, stuckAfter: 800 } });
    const watchdog = await watchdogOf(app);
    app.send(`/until?file=${path}`);
    await until(async () => (await ask(watchdog)).state === 'stuck');
    const answer = await ask(watchdog);
    expect(answer).toMatchObject({ status: 503, state: 'stuck' });
    expect(answer.blockedFor).toBeGreaterThanOrEqual(800);
    open();
    await until(async () => (await ask(watchdog)).state === 'ok');
  });

  it('is told by signals, on the page and by checks.eventLoop', async () => {
    const { path, open } = gate();
    const app = await start();
    const watchdog = await watchdogOf(app);
    app.send(`/until?file=${path}`);
    await until(() => app.loopLines().length === 1);
    open();
    await until(async () => (await ask(watchdog)).state === 'ok');
    await until(() => app.loopLines().length === 2);
    // Events may come after the line; a busy machine has short blocks too, which have no stack.
    let seen: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [];
    await until(async () => {
      const all: typeof seen = JSON.parse(await app.get('/seen'));
      seen = all.filter(([, { stack }]) => stack !== undefined);
      return seen.length >= 6;
    });
    expect(seen.map(([name]) => name)).toEqual([
      'health loopBlocked',
      'signals loopBlocked',
      'channel loopBlocked',
      'health loopFreed',
      'signals loopFreed',
      'channel loopFreed',
    ]);
    for (const [, event] of seen) {
      expect(event).toMatchObject({
        same: true,
        culprit: expect.stringMatching(/^spinUntil \(app\.mjs:\d+\)$/),
        path: '/until',
        method: 'GET',
        stack: expect.stringContaining('spinUntil'),
      });
    }
    expect(seen[0]?.[1]['blockedFor']).toBeLessThan(Number(seen[5]?.[1]['blockedFor']));
    const page: { eventLoop?: object } = JSON.parse(await app.get('/__health__.json'));
    expect(page.eventLoop).toMatchObject({ culprit: expect.stringContaining('spinUntil (app.mjs:') });
    expect(await app.get('/__health__')).toMatch(
      /event loop: blocked [\d.]+ m?s, .*ago.*, in spinUntil \(app\.mjs:\d+\)[\s\S]*<pre[^>]*><bdi>at /,
    );
    // In the first half second of the process, which a fast machine does not need for all this, the check judges nothing.
    let messages: object | undefined;
    await until(async () => {
      const report: { details: { event_loop?: { messages: object } } } = JSON.parse(
        await app.get('/__heartbeat__'),
      );
      messages = report.details.event_loop?.messages;
      return messages !== undefined;
    });
    expect(JSON.stringify(messages)).toMatch(/; it was blocked in spinUntil \(app\.mjs:\d+\)/);
  });

  it('has its second line in the logger of the application', async () => {
    const { path, open } = gate();
    const app = await start({ own: true, watchdog: { port: 0, busyAfter: 300 } });
    app.send(`/until?file=${path}`);
    await until(() => app.loopLines().length === 1);
    open();
    await until(async () => (await app.get('/own')).includes('free again'));
    const own: { msg: string; fields: Record<string, unknown> }[] = JSON.parse(await app.get('/own'));
    const freed = own.find(({ msg }) => msg?.includes('free again'));
    expect(freed?.fields).toMatchObject({ stack: expect.stringContaining('spinUntil') });
    expect(app.loopLines()).toHaveLength(1);
  });
});
