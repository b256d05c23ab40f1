import { expect, it } from 'vitest';
import { launch } from './start.js';

it('a Health whose constructor throws leaves no watchdog behind, on any framework', async () => {
  const app = launch('refused.mjs', []);
  expect(await app.exited(), app.stderr()).toEqual({ code: 0, signal: null });
  const told: unknown = JSON.parse(/^TOLD (.*)$/m.exec(app.stderr())?.[1] ?? 'null');
  const of = (refused: string) => ({ refused, next: [] });
  expect(told).toEqual({
    node: of('LIFESIGN_APP'),
    express: of('LIFESIGN_APP'),
    koa: of('LIFESIGN_APP'),
    fastify: of('LIFESIGN_APP'),
    hono: of('LIFESIGN_OPTION_INVALID'),
    fetch: of('LIFESIGN_OPTION_INVALID'),
    twice: { refused: 'LIFESIGN_APP_TWICE' },
  });
});
