import { expect, it } from 'vitest';
import { until } from '../core/waiting.js';
import { ask, gate, launch, watchdogOf } from './start.js';
import { chosen } from '../whole.js';
import { compiled } from '../compiled/index.js';

const frameworks = ['fastify', 'node', 'express', 'koa', 'hono', 'nestjs', 'fetch', 'adonisjs'];

it.each(chosen(frameworks, 'express', 'fastify', 'nestjs'))(
  '%s: the option or setting starts it, and a block names the request',
  { timeout: 60_000 },
  async (framework) => {
    const { path, open, close } = gate();
    const app = launch(compiled(new URL('frameworks-app.ts', import.meta.url)), [framework, path]);
    await until(() => /^PORT \d+$/m.test(app.stderr()) || app.ended() !== undefined);
    const [, port] = /^PORT (\d+)$/m.exec(app.stderr()) ?? [];
    if (port === undefined) throw new Error(app.stderr());
    const watchdog = await watchdogOf(app);
    // On a busy machine starting is a block too.
    await expect.poll(() => ask(watchdog)).toMatchObject({ status: 200, state: 'ok' });
    const ofRequest = () => app.loopLines().filter(({ Fields }) => Fields['rid'] === 'r-1');
    // On a busy machine the thread may be taken for one in native code, which has no stack: then another block is tried.
    await until(async () => {
      const before = app.loopLines().length;
      const answer = fetch(`http://127.0.0.1:${port}/block?x=1`, { headers: { 'X-Request-Id': 'r-1' } });
      await until(async () => (await ask(watchdog)).state === 'busy');
      await until(() => app.loopLines().length > before);
      open();
      expect(await (await answer).text()).toBe('done');
      await until(() => app.loopLines().length === before + 2);
      close();
      return ofRequest().length > 0;
    });
    expect(ofRequest()[0]?.Fields).toMatchObject({
      culprit: expect.stringMatching(/^work \(frameworks-app\.ts:\d+\)$/),
      method: 'GET',
      path: '/block',
    });
  },
);
