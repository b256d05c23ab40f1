import { expect, it } from 'vitest';
import { until } from '../core/waiting.js';
import { ask, launch, watchdogOf } from './start.js';
import { some } from '../whole.js';
import { compiled } from '../compiled/index.js';

const frameworks = ['fastify', 'node', 'express', 'koa', 'hono', 'nestjs', 'fetch', 'adonisjs'];

it.each(some(frameworks, 3))(
  '%s: the option or setting starts it, and a block names the request',
  { timeout: 60_000 },
  async (framework) => {
    const app = launch(compiled(new URL('frameworks-app.ts', import.meta.url)), [framework]);
    await until(() => /^PORT \d+$/m.test(app.stderr()) || app.ended() !== undefined);
    const [, port] = /^PORT (\d+)$/m.exec(app.stderr()) ?? [];
    if (port === undefined) throw new Error(app.stderr());
    const watchdog = await watchdogOf(app);
    expect(await ask(watchdog)).toMatchObject({ status: 200, state: 'ok' });
    const answer = fetch(`http://127.0.0.1:${port}/block?x=1`, { headers: { 'X-Request-Id': 'r-1' } });
    await until(async () => (await ask(watchdog)).state === 'busy');
    expect(await (await answer).text()).toBe('done');
    await until(() => app.loopLines().length === 2);
    expect(app.loopLines()[0]?.Fields).toMatchObject({
      culprit: expect.stringMatching(/^block \(waiting\.ts:\d+\)$/),
      rid: 'r-1',
      method: 'GET',
      path: '/block',
    });
  },
);
