const { checks, Health } = require('lifesign/fetch');
const { signals } = require('lifesign/signals');

it('is let go with its test file: listeners, log lines, registry', async () => {
  const health = new Health();
  signals.on('heartbeatFailed', () => health);
  health.check('storage', () => [new checks.Warning('Slow', { id: 'acme.W001' })]);
  expect((await health.heartbeat()).status).toBe('warning');
});
