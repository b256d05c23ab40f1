import type { Check } from '../../core/heartbeat/check.js';
import { withScope } from '../../core/heartbeat/scope.js';
import { loading } from '../loading.js';
import type { RecognisedBroker } from './shapes.js';

/** The check `check_broker_connected` of a client that was recognised. */
export function brokerCheck(recognised: RecognisedBroker): Check {
  const check = loading(
    'check_broker_connected',
    () => import('./index.js'),
    ({ brokerConnected }, life) => brokerConnected(recognised, life),
  );
  return withScope(check, 'shared');
}
