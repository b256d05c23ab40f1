import { clientUnsupported } from '../errors.js';
import type { Check } from '../../core/heartbeat/check.js';
import { withScope } from '../../core/heartbeat/scope.js';
import { isGetter } from '../client.js';
import { loading } from '../loading.js';
import { thresholdsIn } from '../thresholds.js';
import { isClient, isGrpc, type MicroserviceClient, type MicroserviceOptions } from './shapes.js';

/**
 * A check of a NestJS microservice: Error `health.E027` when it cannot be reached, `health.W012` when slow.
 * Takes the client of your application, or a function that returns one, which is closed after each run.
 *
 * @example health.check('math', checks.microservice(client, { pattern: { cmd: 'ping' } }));
 * @example health.check('math', checks.microservice(() => ClientProxyFactory.create({ transport: Transport.TCP, options: { host: 'math', port: 3001 } })));
 */
export function microservice(
  client: MicroserviceClient | (() => MicroserviceClient),
  options: MicroserviceOptions = {},
): Check {
  if (!isGetter(client)) requireClient(client);
  const thresholds = thresholdsIn('microservice', options, ['pattern', 'data']);
  const check = loading(
    'microservice',
    () => import('./call.js'),
    ({ microserviceAnswers }) => microserviceAnswers(client, options, thresholds),
  );
  return withScope(check, 'shared');
}

function requireClient(client: unknown): void {
  if (isClient(client)) return;
  const supported = isGrpc(client)
    ? ["for gRPC checks.grpc(client.getClientByServiceName('HeroService'))"]
    : ['@nestjs/microservices ClientProxy', 'a function that returns one'];
  throw clientUnsupported('microservice', client, supported);
}
