import { type Check, type CheckContext, withScope } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { type CheckMessage, Error as ErrorMessage } from '../core/heartbeat/messages.js';
import { hasMethods, isObject, named, NotReady, property } from './client.js';
import { clientUnsupported } from './errors.js';
import { inFlight, late, type Starter, unlessLate } from './flight.js';
import { reasonOf } from './reasons.js';
import { judge, milliseconds, type Thresholds, thresholdsIn, type TimeThresholds } from './thresholds.js';

/** `MongoClient` of mongodb. */
export interface MongoDriver {
  db(name: string): { command(command: { ping: 1 }): Promise<unknown> };
  close(): Promise<unknown>;
}

/** A connection of mongoose: `mongoose.connection`. */
export interface MongooseConnection {
  getClient(): MongoDriver | null | undefined;
}

const isDriver = (value: unknown): value is MongoDriver => hasMethods(value, 'db', 'startSession');

const isMongoose = (value: unknown): value is MongooseConnection => hasMethods(value, 'getClient', 'model');

/**
 * A check of MongoDB, over the application's own client: `health.E021` when it does not answer, or
 * when the ping takes longer than `warn` milliseconds.
 *
 * @example health.check('mongo', checks.mongo(client, { warn: 200 }));
 */
export function mongo(client: MongoDriver | MongooseConnection, options: TimeThresholds = {}): Check {
  if (!isDriver(client) && !isMongoose(client)) {
    throw clientUnsupported('mongo', client, ['mongodb MongoClient', 'mongoose connection']);
  }
  const thresholds = thresholdsIn('mongo', options, []);
  const check = named('mongo', mongoAnswers(client, thresholds));
  return withScope(check, 'shared');
}

/** The code of `checks.mongo`, loaded when the check is created. */
function mongoAnswers(
  client: MongoDriver | MongooseConnection,
  thresholds: Thresholds,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const ping = inFlight(async (starter) => {
    const started = performance.now();
    const driver: unknown = isDriver(client) ? client : client.getClient();
    if (!isDriver(driver)) throw new NotReady('the connection was not opened');
    await orKnownCause(driver, driver.db('admin').command({ ping: 1 }), starter);
    return performance.now() - started;
  });
  return async (context) => {
    try {
      const took = await ping(context);
      const text = (threshold: number) =>
        `MongoDB answered after ${milliseconds(took)}, above ${milliseconds(threshold)}`;
      return judge(took, thresholds, messageIds.mongo, text);
    } catch (thrown) {
      const { text, fields } = reasonOf(thrown);
      const id = messageIds.mongo;
      return [new ErrorMessage(`Cannot reach MongoDB: ${text}`, { id, ...(fields && { fields }) })];
    }
  };
}

/** The driver looks for a server for 30 s: if it knows earlier why it finds none, that is the answer. */
async function orKnownCause(
  driver: MongoDriver,
  answer: Promise<unknown>,
  { signal }: Starter,
): Promise<void> {
  try {
    if ((await unlessLate(answer, signal)) !== late) return;
  } catch (thrown) {
    // Mongoose closes a client that could not connect.
    const cause = property(thrown, 'name') === 'MongoTopologyClosedError' ? knownCause(driver) : undefined;
    throw cause === undefined ? thrown : new NotReady('the client is closed', { cause });
  }
  const cause = knownCause(driver);
  if (cause === undefined) await answer;
  else {
    answer.catch(() => {});
    throw cause;
  }
}

/** The last error of one of its servers. */
function knownCause(driver: MongoDriver): object | undefined {
  const servers = property(property(property(driver, 'topology'), 'description'), 'servers');
  if (!(servers instanceof Map)) return undefined;
  return [...servers.values()].map((each) => property(each, 'error')).find(isObject);
}
