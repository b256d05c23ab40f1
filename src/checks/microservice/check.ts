import { clientUnsupported } from '../../core/options/errors.js';
import type { Check } from '../../core/heartbeat/check.js';
import { hasMethods } from '../client.js';
import { loading } from '../loading.js';
import { requireThresholds, type Thresholds } from '../thresholds.js';
import type { MicroserviceClient } from './connection.js';

/** Options of `checks.microservice`; `warn` and `error` are milliseconds until the answer. */
export interface MicroserviceOptions extends Thresholds {
  /** A message to which the microservice replies. Without it, the connection is checked. */
  readonly pattern?: string | number | object;
  /** What is sent with the `pattern`. Default: an empty object. */
  readonly data?: unknown;
}

/**
 * A check on a microservice of NestJS: Error `health.E027` when it cannot be reached, `health.W012` when slow.
 * Takes the client of your application, or a function that makes one, which is closed after each run.
 *
 * @example health.check('math', checks.microservice(client, { pattern: { cmd: 'ping' } }));
 * @example health.check('math', checks.microservice(() => ClientProxyFactory.create({ transport: Transport.TCP, options: { host: 'math', port: 3001 } })));
 */
export function microservice(
  client: MicroserviceClient | (() => MicroserviceClient),
  options: MicroserviceOptions = {},
): Check {
  if (typeof client !== 'function') requireClient(client);
  const thresholds = requireThresholds('microservice', options);
  return loading(
    'microservice',
    () => import('./ask.js'),
    ({ microserviceAnswers }) => microserviceAnswers(client, options, thresholds),
  );
}

/** The client of gRPC cannot connect: it has clients of @grpc/grpc-js inside. */
const isGrpc = (value: unknown) => hasMethods(value, 'getClientByServiceName');
export const isClient = (value: unknown) =>
  hasMethods(value, 'connect', 'close', 'send', 'emit') && !isGrpc(value);

function requireClient(client: unknown): void {
  if (isClient(client)) return;
  const supported = isGrpc(client)
    ? ["for gRPC checks.grpc(client.getClientByServiceName('HeroService'))"]
    : ['ClientProxy of @nestjs/microservices', 'a function that makes one'];
  throw clientUnsupported('microservice', client, supported);
}
