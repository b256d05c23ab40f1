import { levels } from 'lifesign';
import { checks, Health } from 'lifesign/fetch';

it('TypeScript that becomes CommonJS', async () => {
  const health = new Health(undefined, { summary: false, logger: { log: () => {} } });
  health.check('storage', () => [new checks.Warning('Slow', { id: 'acme.W001' })]);
  const heartbeat = await health.heartbeat();
  expect(heartbeat.level).toBe(levels.warning);
  expect(heartbeat.results[0]?.messages[0]?.id).toBe('acme.W001');
});
