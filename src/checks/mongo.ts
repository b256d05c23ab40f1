import { clientUnsupported } from '../core/errors.js';
import { Error as ErrorMessage } from '../core/messages.js';
import type { Check } from '../core/registry.js';
import { hasMethods } from './client.js';
import { inFlight } from './flight.js';
import { reasonOf } from './reasons.js';
import { judge, milliseconds, requireThresholds, type Thresholds } from './thresholds.js';

/** `MongoClient` of mongodb. */
export interface MongoDriver {
  db(name: string): { command(command: { ping: 1 }): Promise<unknown> };
  close(): Promise<unknown>;
}

/** A connection of mongoose: `mongoose.connection`. */
export interface MongooseConnection {
  getClient(): MongoDriver;
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
  const ids = { warn: 'health.W007', error: 'health.E021' };
  const ping = inFlight(async () => {
    const started = performance.now();
    const driver = isDriver(client) ? client : client.getClient();
    await driver.db('admin').command({ ping: 1 });
    return performance.now() - started;
  });
  return async (context) => {
    try {
      const took = await ping(context);
      const text = (threshold: number) =>
        `MongoDB answered after ${milliseconds(took)}, over ${milliseconds(threshold)}`;
      return judge(took, thresholds, ids, text);
    } catch (thrown) {
      return [new ErrorMessage(`Cannot reach MongoDB: ${reasonOf(thrown).text}`, { id: ids.error })];
    }
  };
}

const isDriver = (value: unknown): value is MongoDriver => hasMethods(value, 'db', 'startSession');
const isMongoose = (value: unknown): value is MongooseConnection => hasMethods(value, 'getClient', 'model');
