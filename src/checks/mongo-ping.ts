import { deadlineOf } from '../core/heartbeat/abort.js';
import type { CheckContext } from '../core/heartbeat/check.js';
import { type CheckMessage, Error as ErrorMessage } from '../core/heartbeat/messages.js';
import { within } from '../core/deadlines.js';
import { isObject, NotReady, property } from './client.js';
import { inFlight, type Starter } from './flight.js';
import { isDriver, type MongoDriver, type MongooseConnection } from './mongo-shapes.js';
import { waitingShare } from './pools/lending.js';
import { reasonOf } from './reasons.js';
import { judge, milliseconds, type Thresholds } from './thresholds.js';
import * as messageIds from '../core/heartbeat/message-ids.js';

/** The code of `checks.mongo`, loaded when the check is created. */
export function mongoAnswers(
  client: MongoDriver | MongooseConnection,
  thresholds: Thresholds,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const ids = messageIds.mongo;
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
      return judge(took, thresholds, ids, text);
    } catch (thrown) {
      return [new ErrorMessage(`Cannot reach MongoDB: ${reasonOf(thrown).text}`, { id: ids.error })];
    }
  };
}

/** The driver looks for a server for 30 s: if it knows earlier why it finds none, that is the answer. */
async function orKnownCause(
  driver: MongoDriver,
  answer: Promise<unknown>,
  { signal }: Starter,
): Promise<void> {
  const late = Symbol('late');
  const time = deadlineOf(signal) - performance.now();
  try {
    const first = time === Infinity ? await answer : await within<unknown>(answer, time * waitingShare, late);
    if (first !== late) return;
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
