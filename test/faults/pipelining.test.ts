import { afterEach, describe, expect, it } from 'vitest';
import { ask, burst, leaving, pipelined, request, settled, startPipelining } from './pipelining.js';
import { withoutCompilers } from '../compiled/index.js';
import { chosen } from '../whole.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

// test/attack has the same with 20,100 requests.
describe.each(chosen(['node', 'express', 'koa', 'fastify', 'nest'], 'express', 'fastify'))(
  '%s',
  (framework) => {
    it('a record for each pipelined request, however its client leaves, and nothing kept', async () => {
      const app = await startPipelining(framework, false, ['--max-old-space-size=128', ...withoutCompilers]);
      ends.push(app.end);
      const { early, late } = await pipelined(app, 10, 20);
      expect(late.wrong).toEqual([]);
      expect(late.records).toBe(late.seen);
      // 20 connections of 201 requests lie between: a kilobyte kept for each would be 4 MB.
      expect(late.heapUsed - early.heapUsed).toBeLessThan(2_500_000);

      for (const how of Object.keys(leaving) as (keyof typeof leaving)[]) {
        const away = how === 'stays' ? 'leaves' : how;
        await Promise.all([
          ask(app.port, burst(50, request('GET', '/quick')), how, { after: 10, answers: 51 }),
          ask(app.port, burst(50, request('GET', '/part')), away, { after: 10 }),
          ask(app.port, burst(5) + request('POST', '/', 'body').slice(0, -2), away, { after: 10 }),
          ask(app.port, request('GET', '/quick', '', '1.0') + request('GET', '/quick'), how, { answers: 1 }),
        ]);
        const look = await settled(app);
        expect([how, look.wrong, look.records]).toEqual([how, [], look.seen]);
      }
      // Bytes after the last request of a connection, once for each way to leave.
      expect((await app.look()).refused).toBe(4);
    });
  },
);

it('https', async () => {
  const app = await startPipelining('node', true);
  ends.push(app.end);
  for (let n = 0; n < 10; n += 1) await ask(app.port, burst(100), 'resets', { secure: true, after: 30 });
  await ask(app.port, burst(20, request('GET', '/quick')), 'stays', { secure: true, answers: 21 });
  const look = await settled(app);
  expect([look.wrong, look.records]).toEqual([[], look.seen]);
  expect(look.seen).toBeGreaterThan(500);
});
