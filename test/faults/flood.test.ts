import { describe, expect, it } from 'vitest';
import type { HealthOptions } from 'lifesign';
import { until } from '../core/waiting.js';
import { chosen, whole } from '../whole.js';
import { startForTest } from './fault-process.js';
import { flood } from './flood.js';
import { tell } from './observe.js';

const sockets = (resources: readonly string[]) => resources.filter((name) => name === 'TCPSocketWrap').length;
const total = whole ? 10_000 : 2000;

describe('a flood of requests for the health endpoints while checks fail', () => {
  const kinds: readonly [string, string[], HealthOptions][] = [
    ['throw', ['throws', 'rejects', 'warns'], {}],
    ['hang', ['hangs', 'fine'], { timeout: 300 }],
    ['hang, coalesced', ['hangs', 'fine'], { timeout: 300, coalesce: true }],
    ['throw, cached', ['throws', 'rejects', 'warns'], { cacheFor: 1000 }],
  ];
  // One that throws and one that hangs.
  it.each(chosen(kinds, 'throw', 'hang'))(
    'checks that %s: every request is answered, nothing is left behind',
    async (name, checks, options) => {
      const app = await startForTest({ checks, options });
      const said = await app.beat();
      const quiet = await app.stats();
      const { answers, perSecond } = await flood(app.port, '/__heartbeat__', { total });
      expect(answers).toEqual({ 500: total });

      // Sockets and memory are as before.
      await until(async () => sockets((await app.stats()).resources) <= sockets(quiet.resources) + 1);
      const after = await app.stats();
      expect(after.heapUsed - quiet.heapUsed).toBeLessThan(8_000_000);
      // Ten at once at most, then one now and then: those that hang are given up after 3, 6, 12 timeouts and so on.
      expect(after.runs['hangs'] ?? 0).toBeLessThanOrEqual(options.coalesce ? 6 : 16);
      tell(
        `flood on checks that ${name}`,
        said,
        `${perSecond} requests/s, runs ${JSON.stringify(after.runs)}`,
      );
      expect(await app.stop()).toBe(0);
    },
  );

  it('/__lbheartbeat__ answers the same flood while every check hangs', async () => {
    const app = await startForTest({ checks: ['hangs'], options: { timeout: 300 } });
    const said = await app.beat();
    const { answers, perSecond } = await flood(app.port, '/__lbheartbeat__', { total: 2 * total });
    expect(answers).toEqual({ 200: 2 * total });
    tell('flood on /__lbheartbeat__', said, `${perSecond} requests/s`);
    expect(await app.stop()).toBe(0);
  });
});
