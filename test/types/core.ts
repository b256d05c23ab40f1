// Wrong use does not compile: each line below `@ts-expect-error` is one, and tsc (npm run typecheck) fails where it is none.
import { Registry as SuccessorRegistry } from '@prometheus-io/client';
import { Registry } from 'prom-client';
import express from 'express';
import type { Check } from 'lifesign/checks';
import { checks, Health, listenOptions } from 'lifesign/express';
import { type levels, signals, statusOf } from 'lifesign';

const app = express();
const health = new Health(app, { failLevel: 'error', details: (req) => req.headers['x-show'] === 'yes' });

// Every option may be undefined, as a configuration that was read leaves it (exactOptionalPropertyTypes).
new Health(app, {
  versionPath: undefined,
  failLevel: undefined,
  failedStatusCode: undefined,
  details: undefined,
  silencedChecks: undefined,
  timeout: undefined,
  coalesce: undefined,
  cacheFor: undefined,
  checkOptions: undefined,
  groups: undefined,
  publicMessages: undefined,
  page: undefined,
  healthPort: undefined,
  healthPortOnly: undefined,
  watchdog: undefined,
  metrics: undefined,
  summary: undefined,
  requestIdHeaderName: undefined,
  requestContext: undefined,
  otel: undefined,
  uid: undefined,
  loggerName: undefined,
  logger: undefined,
  db: undefined,
  redis: undefined,
  migrations: undefined,
});

// `uid` gets Express' own request, also with what a middleware adds to it; `details` the one before Express.
new Health(app, { uid: (req) => req.get('x-user') });
new Health(app, { uid: (req: express.Request) => req.ip });
new Health(app, { uid: (req: express.Request & { session?: { userId: number } }) => req.session?.userId });
// @ts-expect-error a user is a text or a number
new Health(app, { uid: (req) => req.headers });
// @ts-expect-error Express has not made its request yet
new Health(app, { details: (req) => req.get('x-show') === 'yes' });

// Messages
new checks.Warning('Slow', { id: 'a.W1', hint: 'Look here' });
new checks.Warning('Slow', { id: 'a.W1', fields: { used: 93, disk: 'data', full: true } });
// @ts-expect-error fields are flat
new checks.Warning('Slow', { id: 'a.W1', fields: { disk: { used: 93 } } });
// @ts-expect-error a message needs an id
new checks.Warning('Slow');
// @ts-expect-error a text is a string
new checks.Warning(new Error('no'), { id: 'a.W1' });
// @ts-expect-error a message of no kind cannot be made
new checks.CheckMessage('Slow', { id: 'a.W1' });

// Checks
health.check(function sync() {
  return [new checks.Info('i', { id: 'a.I1' })];
});
health.check('one message', () => new checks.Info('i', { id: 'a.I1' }));
health.check('nothing', () => {});
health.check('async', async ({ signal, name }) => (signal.aborted && name === '' ? [] : undefined), {
  timeout: 1,
});
// @ts-expect-error a check returns messages
health.check('boolean', () => true);
new Health(app, { page: { path: '/ops' } });
new Health(app, { watchdog: true });
new Health(app, { watchdog: { port: 8001, busyAfter: undefined, stuckAfter: 30_000 } });
new Health(app, { metrics: true });
new Health(app, { metrics: { path: '/metrics', refresh: 15_000, registry: undefined } });
new Health(app, { metrics: { registry: new Registry() } });
new Health(app, { metrics: { registry: new SuccessorRegistry() } });
new Health(app, { metrics: { refresh: '15s' } });
// @ts-expect-error a time as text has a unit
new Health(app, { metrics: { refresh: '15' } });
// @ts-expect-error that is no registry
new Health(app, { metrics: { registry: {} } });

health.check('time', () => [], { timeout: '1s' });
// @ts-expect-error a time as text has a unit that exists
health.check('timeout', () => [], { timeout: '1sec' });
const typed: Check = ({ signal }) => (signal.aborted ? [] : null);
const same: typeof typed = health.check('typed', typed);
void same;

class Service {
  @health.check
  storage(): readonly checks.CheckMessage[] {
    return [];
  }

  @health.check('named', { timeout: 10 })
  async other({ name }: checks.CheckContext) {
    return [new checks.Info(name, { id: 'a.I1' })];
  }

  // @ts-expect-error a decorated check returns messages, too
  @health.check
  wrong() {
    return 'Slow';
  }

  @health.versionCallback
  version(versionPath: string) {
    return { versionPath };
  }
}
void Service;

// Options
// @ts-expect-error no such level
new Health(app, { failLevel: 'warn' });
// @ts-expect-error no such option
new Health(app, { failedStatus: 503 });
// @ts-expect-error not an application
new Health({ listen() {} });

// Version
health.versionCallback(async (path) => ({ commit: path }));
health.versionCallback(() => null);
// @ts-expect-error a version is an object
health.versionCallback(() => '1.2.3');

// Signals
health.on('heartbeatFailed', ({ level, status, report }) => {
  const known: 0 | 10 | 20 | 30 | 40 | 50 = level;
  const word: 'ok' | keyof typeof levels = status;
  return report.details['x']?.messages['y']?.length === known && word === statusOf(known);
});
// @ts-expect-error no such signal
signals.on('heartbeat', () => {});

const { port }: { port: number } = listenOptions();
void port;
