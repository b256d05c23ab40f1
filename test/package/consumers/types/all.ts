import { createHandler, levels, requestId, type HealthCore } from 'lifesign';
import * as builtIns from 'lifesign/checks';
import { drainOnSignals } from 'lifesign/drain';
import { Health as ExpressHealth, checks } from 'lifesign/express';
import { Health as FastifyHealth, logConfig } from 'lifesign/fastify';
import { Health as FetchHealth } from 'lifesign/fetch';
import { Health as HonoHealth } from 'lifesign/hono';
import { Health as KoaHealth } from 'lifesign/koa';
import { JsonLogFormatter } from 'lifesign/logging';
import { HealthMiddleware, HealthModule } from 'lifesign/nestjs';
import { Health as NodeHealth } from 'lifesign/node';
import { ignoreHealthRequests } from 'lifesign/otel';
import { signals } from 'lifesign/signals';

const health = new FetchHealth(undefined, { details: (request: Request) => request.url === '' });
health.check('storage', () => [new checks.Warning('Slow', { id: 'acme.W001' })]);
const level: 30 = levels.warning;
// @ts-expect-error the types are there
const wrong: string = levels.warning;
// @ts-expect-error and refuse what there is not
new FetchHealth(undefined, { nothing: 1 });
// @ts-expect-error a connection string is not a client
new ExpressHealth(undefined, { db: 'postgres://localhost/things' });
signals.on('heartbeatFailed', ({ report }) => void report.status.length);

export type { HealthCore };
export { builtIns, drainOnSignals, ExpressHealth, FastifyHealth, HealthMiddleware, HealthModule, HonoHealth };
export { ignoreHealthRequests, JsonLogFormatter, KoaHealth, level, logConfig, NodeHealth, requestId, wrong };

// The public surface of a Health: nothing of its engine is offered.
type Public =
  | 'check'
  | 'close'
  | 'heartbeat'
  | 'initApp'
  | 'off'
  | 'on'
  | 'once'
  | 'options'
  | 'started'
  | 'versionCallback';
const onlyPublic: [Exclude<keyof ExpressHealth, Public>] extends [never] ? true : never = true;
const allPublic: [Exclude<Public, keyof ExpressHealth>] extends [never] ? true : never = true;
const handle = createHandler<Request>({ details: (request) => request.url === '' });
handle.health.check('storage', () => []);
export { allPublic, handle, onlyPublic };
