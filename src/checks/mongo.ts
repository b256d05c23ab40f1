import { clientUnsupported } from './errors.js';
import type { Check } from '../core/heartbeat/check.js';
import { withScope } from '../core/heartbeat/scope.js';
import { loading } from './loading.js';
import { isDriver, isMongoose, type MongoDriver, type MongooseConnection } from './mongo-shapes.js';
import { thresholdsIn, type TimeThresholds } from './thresholds.js';

/**
 * A check of MongoDB, over the application's own client: Error `health.E021` when it does not answer,
 * `health.W007` when the ping takes longer than `warn` milliseconds.
 *
 * @example health.check('mongo', checks.mongo(client, { warn: 200 }));
 */
export function mongo(client: MongoDriver | MongooseConnection, options: TimeThresholds = {}): Check {
  if (!isDriver(client) && !isMongoose(client)) {
    throw clientUnsupported('mongo', client, ['mongodb MongoClient', 'mongoose connection']);
  }
  const thresholds = thresholdsIn('mongo', options, []);
  const check = loading(
    'mongo',
    () => import('./mongo-ping.js'),
    ({ mongoAnswers }) => mongoAnswers(client, thresholds),
  );
  return withScope(check, 'shared');
}
