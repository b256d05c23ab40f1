import { describe, expect, it } from 'vitest';
import { until } from '../core/waiting.js';
import { recreate } from './recreate.js';
import { gate, launch } from './start.js';

describe('a watchdog beside others', { timeout: 120_000 }, () => {
  it('in a thread of the application watches that thread, and does not blame the main thread', async () => {
    const { path, open } = gate();
    const app = launch('threads.mjs', [path]);
    // On a busy machine, starting blocks both threads as well, too shortly for a reason.
    const lines = () => app.loopLines().filter(({ Logger }) => Logger === 'worker');
    const said = (start: string) =>
      lines().some(({ Fields }) =>
        new RegExp(`^${start}.*\\(the code runs in a worker thread, no stack\\)`).test(String(Fields['msg'])),
      );
    await until(() => said('The event loop has been blocked') || app.ended() !== undefined);
    open();
    await until(() => said('The event loop is free again'));
    expect(lines().filter(({ Fields }) => 'culprit' in Fields)).toEqual([]);
  });

  it('started and closed over and over holds nothing, and takes the port from the one before', async () => {
    const [early, late] = await recreate(20);
    expect(late.listeners).toBeLessThanOrEqual(early.listeners + 2);
  });

  it('names the request of HTTP/2 that blocks', async () => {
    const { path, open } = gate();
    const app = launch('http2.mjs', [path]);
    const named = () => app.loopLines().find(({ Fields }) => Fields['culprit'] !== undefined);
    await until(() => named() !== undefined || app.ended() !== undefined);
    open();
    expect(named()?.Fields).toMatchObject({
      culprit: expect.stringMatching(/^blockingRoute \(http2\.mjs:\d+\)$/),
      rid: 'r-2',
      method: 'POST',
      path: '/block',
    });
  });
});
