import type { Check } from '../../core/heartbeat/check.js';
import { brokerCheck } from './check.js';
import type { BrokerClient } from './client-shapes.js';
import { requireBroker } from './shapes.js';

export type { BrokerClient };

/**
 * The check `check_broker_connected`: one round trip over the application's own connection to its message broker.
 *
 * @example health.check('events', checkBrokerConnected(connection));
 */
export function checkBrokerConnected(client: BrokerClient): Check {
  return brokerCheck(requireBroker(client));
}
