import { dueOf } from '../core/heartbeat/abort.js';
import { clientUnsupported } from '../core/options/errors.js';
import { Error as ErrorMessage } from '../core/heartbeat/messages.js';
import type { Check } from '../core/heartbeat/check.js';
import { within } from '../core/deadlines.js';
import { hasMethods, isObject, property } from './client.js';
import { inFlight, type Starter } from './flight.js';
import { share } from './pools/lending.js';
import { NotReady, reasonOf } from './reasons.js';
import { judge, milliseconds, requireThresholds, type Thresholds } from './thresholds.js';
import { named } from './named.js';

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
  const ids = { warn: 'health.W007', error: 'health.E021' };
  const ping = inFlight(async (starter) => {
    const started = performance.now();
    const driver: unknown = isDriver(client) ? client : client.getClient();
    if (!isDriver(driver)) throw new NotReady('the connection was not opened');
    await orKnownCause(driver, driver.db('admin').command({ ping: 1 }), starter);
    return performance.now() - started;
  });
  return named('mongo', async (context) => {
    try {
      const took = await ping(context);
      const text = (threshold: number) =>
        `MongoDB answered after ${milliseconds(took)}, over ${milliseconds(threshold)}`;
      return judge(took, thresholds, ids, text);
    } catch (thrown) {
      return [new ErrorMessage(`Cannot reach MongoDB: ${reasonOf(thrown).text}`, { id: ids.error })];
    }
  });
}

/** The driver looks for a server for 30 s: where it knows by then why it finds none, that is the answer. */
async function orKnownCause(
  driver: MongoDriver,
  answer: Promise<unknown>,
  { signal }: Starter,
): Promise<void> {
  const late = Symbol('late');
  const time = dueOf(signal) - performance.now();
  const first = time === Infinity ? await answer : await within<unknown>(answer, time * share, late);
  if (first !== late) return;
  const servers = property(property(property(driver, 'topology'), 'description'), 'servers');
  const cause =
    servers instanceof Map
      ? [...servers.values()].map((each) => property(each, 'error')).find(isObject)
      : undefined;
  if (cause === undefined) await answer;
  else {
    answer.catch(() => {});
    throw cause;
  }
}

const isDriver = (value: unknown): value is MongoDriver => hasMethods(value, 'db', 'startSession');
const isMongoose = (value: unknown): value is MongooseConnection => hasMethods(value, 'getClient', 'model');
