import type { Check } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { isObject, property, shape } from './client.js';
import { notReady, reporting } from './reasons.js';
import { clientUnsupported } from './recognise.js';
import { late, oneAtATime, unlessLate } from './round-trip.js';
import { judgeTime, thresholdsIn, type TimeThresholds } from './thresholds.js';

/** `MongoClient` of mongodb. */
export interface MongoDriver {
  db(name: string): { command(command: { ping: 1 }): Promise<unknown> };
  close(): Promise<unknown>;
}

/** A connection of mongoose: `mongoose.connection`. */
export interface MongooseConnection {
  getClient(): MongoDriver | null | undefined;
}

const isDriver = shape<MongoDriver>('db', 'startSession');

const isMongoose = shape<MongooseConnection>('getClient', 'model');

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
  const ping = oneAtATime(async (signal) => {
    const started = performance.now();
    const driver: unknown = isDriver(client) ? client : client.getClient();
    if (!isDriver(driver)) throw notReady('the connection was not opened');
    await orKnownCause(driver, driver.db('admin').command({ ping: 1 }), signal);
    return performance.now() - started;
  });
  return reporting('mongo', 'shared', [messageIds.mongo, 'Cannot reach MongoDB'], async (signal) =>
    judgeTime(await ping(signal), thresholds, messageIds.mongo, 'MongoDB answered after'),
  );
}

/** The driver searches for a server for 30 s: if it knows earlier why it finds none, that is the answer. */
async function orKnownCause(
  driver: MongoDriver,
  answer: Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  try {
    if ((await unlessLate(answer, signal)) !== late) return;
  } catch (thrown) {
    // Mongoose closes a client that could not connect.
    const cause = property(thrown, 'name') === 'MongoTopologyClosedError' ? knownCause(driver) : undefined;
    throw cause === undefined ? thrown : notReady('the client is closed', cause);
  }
  const cause = knownCause(driver);
  if (cause === undefined) return void (await answer);
  answer.catch(() => {});
  throw cause;
}

function knownCause(driver: MongoDriver): object | undefined {
  const servers = property(driver, 'topology', 'description', 'servers');
  if (!(servers instanceof Map)) return undefined;
  return [...servers.values()].map((each) => property(each, 'error')).find(isObject);
}
