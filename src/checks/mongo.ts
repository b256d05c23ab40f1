import { clientUnsupported } from '../core/options/errors.js';
import type { Check } from '../core/heartbeat/check.js';
import { hasMethods } from './client.js';
import { loading } from './loading.js';
import { requireThresholds, type Thresholds } from './thresholds.js';

/** `MongoClient` of mongodb. */
export interface MongoDriver {
  db(name: string): { command(command: { ping: 1 }): Promise<unknown> };
  close(): Promise<unknown>;
}

/** A connection of mongoose: `mongoose.connection`. */
export interface MongooseConnection {
  getClient(): MongoDriver | null | undefined;
}

/**
 * A check on MongoDB, over the application's own client: Error `health.E021` when it does not answer,
 * `health.W007` when the ping takes longer than `warn` milliseconds.
 *
 * @example health.check('mongo', checks.mongo(client, { warn: 200 }));
 */
export function mongo(client: MongoDriver | MongooseConnection, options: Thresholds = {}): Check {
  if (!isDriver(client) && !isMongoose(client)) {
    throw clientUnsupported('mongo', client, ['mongodb MongoClient', 'mongoose connection']);
  }
  const thresholds = requireThresholds('mongo', options);
  return loading(
    'mongo',
    () => import('./mongo-ping.js'),
    ({ mongoAnswers }) => mongoAnswers(client, thresholds),
  );
}

export const isDriver = (value: unknown): value is MongoDriver => hasMethods(value, 'db', 'startSession');
const isMongoose = (value: unknown): value is MongooseConnection => hasMethods(value, 'getClient', 'model');
