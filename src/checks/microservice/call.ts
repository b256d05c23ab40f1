import type { CheckContext } from '../../core/heartbeat/check.js';
import { type CheckMessage, Error as ErrorMessage } from '../../core/heartbeat/messages.js';
import { hasMethods, NotReady, property } from '../client.js';
import { inFlight, orAborted, type Starter } from '../flight.js';
import { type RecognisedStore, recogniseRedis } from '../key-values/shapes.js';
import { Life } from '../life.js';
import { storeOf, Unavailable } from '../key-values/index.js';
import { reasonOf } from '../reasons.js';
import { judge, milliseconds, type Thresholds } from '../thresholds.js';
import { closeClient, partsOf, reply } from './connection.js';
import { isClient, type MicroserviceClient, type MicroserviceOptions } from './shapes.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';

/** The code of `checks.microservice`, loaded when the check is created. */
export function microserviceAnswers(
  client: MicroserviceClient | (() => MicroserviceClient),
  options: MicroserviceOptions,
  thresholds: Thresholds,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const isOwn = typeof client === 'function';
  const ids = messageIds.microservice;
  const hint =
    'Check that the microservice and its broker are up, and that the transport and its options are right.';
  const asked = inFlight(async (starter) => {
    const started = performance.now();
    const used = isOwn ? client() : client;
    if (isOwn && !isClient(used))
      throw new NotReady('the function did not return a ClientProxy that can connect');
    if (!isOwn) await connectAndSend(used, options, starter);
    else {
      const connecting = used.connect();
      try {
        await connectAndSend(used, options, starter, connecting);
      } finally {
        await closeClient(used, connecting, starter.signal);
      }
    }
    return performance.now() - started;
  });
  return async (context) => {
    try {
      const took = await asked(context);
      const text = (threshold: number) =>
        `The microservice answered after ${milliseconds(took)}, above ${milliseconds(threshold)}`;
      return judge(took, thresholds, ids, text);
    } catch (thrown) {
      const text = thrown instanceof Unavailable ? thrown.message : reasonOf(thrown).text;
      return [new ErrorMessage(`Cannot reach the microservice: ${text}`, { id: ids.error, hint })];
    }
  };
}

/** Connects if necessary, and gets an answer over the connection if the transport has one. */
async function connectAndSend(
  client: MicroserviceClient,
  { pattern, data = {} }: MicroserviceOptions,
  starter: Starter,
  connecting = client.connect(),
): Promise<void> {
  await orAborted(connecting, starter.signal);
  if (pattern !== undefined) return reply(client, pattern, data, starter.signal);
  const parts = partsOf(client);
  // The transport of Redis has two clients, one of them for subscriptions.
  for (const part of parts) {
    const redis = recogniseRedis(part);
    if (redis !== undefined) await pingOnce(redis, starter);
  }
  // A server of Nest answers a message that it has no handler for by saying so.
  if (parts.some((part) => hasMethods(part, 'setNoDelay', 'destroy')))
    await reply(client, 'lifesign', {}, starter.signal, isUnhandled);
}

async function pingOnce(redis: RecognisedStore, starter: Starter): Promise<void> {
  const life = new Life();
  try {
    await storeOf(redis, life).ping(starter);
  } finally {
    life.close();
  }
}

/** Whether the server says that it has no handler for a message, which is an answer. */
const isUnhandled = (thrown: unknown) =>
  /no matching message handler/i.test(
    String(typeof thrown === 'string' ? thrown : property(thrown, 'message')),
  );
