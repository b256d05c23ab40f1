import { optionInvalid } from '../../core/options/errors.js';
import { clientUnsupported } from '../errors.js';
import type { Check } from '../../core/heartbeat/check.js';
import { withScope } from '../../core/heartbeat/scope.js';
import { loading } from '../loading.js';
import { thresholdsIn, type TimeThresholds } from '../thresholds.js';
import { type GrpcClient, type GrpcTarget, isClient, isTarget } from './shapes.js';

/** Options of `checks.grpc`; `warn` and `error` are milliseconds until the answer. */
export interface GrpcOptions extends TimeThresholds {
  /** The full name of the service to check. Default: the server as a whole. */
  readonly service?: string;
}

/**
 * A check of a gRPC server over the standard health protocol, `grpc.health.v1`: Error `health.E026` when it does not
 * serve, `health.W011` when slow. Over your own client, or over a connection that is closed after each run.
 *
 * @example health.check('hero', checks.grpc(heroClient, { service: 'hero.HeroService' }));
 * @example health.check('hero', checks.grpc({ grpc, address: 'hero:50051' }));
 */
export function grpc<Credentials>(
  target: GrpcClient | GrpcTarget<Credentials>,
  options: GrpcOptions = {},
): Check {
  if (!isClient(target) && !isTarget(target)) {
    throw clientUnsupported('grpc', target, ['a @grpc/grpc-js client', '{ grpc, address, credentials }']);
  }
  const thresholds = thresholdsIn('grpc', options, ['service']);
  const { service = '' } = options;
  if (typeof service !== 'string') {
    const fix = "Write { service: 'package.Service' }, or omit it.";
    throw optionInvalid('Option service of checks.grpc', service, 'the full name of a service', fix);
  }
  const check = loading(
    'grpc',
    () => import('./call.js'),
    ({ grpcServes }) => grpcServes(target, service, thresholds),
  );
  return withScope(check, 'shared');
}
