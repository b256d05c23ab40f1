// A worker under a service manager; what is sent to it says how it fares.
import { checks, drainOnSignals, Health } from '../../src/worker/index.js';

let well = true;
const startWhen = process.env['START_WHEN'] === 'called' ? 'called' : 'listening';
const health = new Health({
  port: 0,
  ...(startWhen === 'called' && { probes: { startWhen, restartAfter: 1 } }),
});
health.check('consumer', () => (well ? [] : [new checks.Error('stands still', { id: 'test.E001' })]));
drainOnSignals(health, { stop: () => process.disconnect() });
process.on('message', (message) => {
  if (message === 'started') health.started();
  else well = message === 'well';
});
