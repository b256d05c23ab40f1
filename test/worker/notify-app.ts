// A worker under a service manager; what is sent to it says how it fares.
import { checks, drainOnSignals, Health } from 'lifesign/worker';

let well = true;
const health = new Health({ port: 0 });
health.check('consumer', () => (well ? [] : [new checks.Error('stands still', { id: 'test.E001' })]));
drainOnSignals(health, { stop: () => process.disconnect() });
process.on('message', (message) => (well = message === 'well'));
