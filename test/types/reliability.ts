// Wrong use does not compile: each line below `@ts-expect-error` is one, and tsc (npm run typecheck) fails where it is none.
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { drainOnSignals } from 'lifesign/drain';
import { Health } from 'lifesign/node';

const server = createServer();
const health = new Health(server, {
  timeout: 1000,
  coalesce: true,
  cacheFor: 5000,
  publicMessages: false,
  checkOptions: { check_redis_connected: { maxLevel: 'info', timeout: 100, cacheFor: 0 } },
  groups: { payments: ['stripe', 'check_redis_connected'] },
});

health.check('capped', () => [], { maxLevel: 'warning', cacheFor: 1000 });
// @ts-expect-error a level has a name
health.check('numbered', () => [], { maxLevel: 30 });
health.check('timed', () => [], { cacheFor: '5s' });
// @ts-expect-error options stand under the name of a check
new Health(server, { checkOptions: { maxLevel: 'info' } });
// @ts-expect-error a group is a list
new Health(server, { groups: { payments: 'stripe' } });

drainOnSignals(health, { server, failLbheartbeat: true, onShutdown: [() => {}, async () => 5] });
drainOnSignals(health, { server: createSecureServer() });
void drainOnSignals(health, { server }).start('test');
drainOnSignals(health, { server }).hurry();
// @ts-expect-error a server is needed
drainOnSignals(health, { delay: '10s' });
// @ts-expect-error what a worker stops
drainOnSignals(health, { server, stop: () => {} });
new Health(server, { drain: { delay: '10s', timeout: 5000, shutdownTimeout: '1s', failLbheartbeat: false } });
new Health(server, { drain: true });
// @ts-expect-error functions are passed where the drain is asked for
new Health(server, { drain: { onShutdown: [] } });
// @ts-expect-error the Health is needed for its endpoints and its log
drainOnSignals(server);
