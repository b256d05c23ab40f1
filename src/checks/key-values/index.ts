import { type CheckMessage, Error as ErrorMessage, Info } from '../../core/heartbeat/messages.js';
import type { CheckContext } from '../../core/heartbeat/check.js';
import { inFlight } from '../flight.js';
import type { Life } from '../life.js';
import { type Fault, reasonOf } from '../reasons.js';
import { Unavailable } from './store.js';
import type { RecognisedStore } from './shapes.js';
import { storeOf } from './stores.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';

export { memoryUsed } from './memory-used.js';

/** The code of `check_redis_connected`, loaded when the check is created. */
export function redisConnected(
  client: RecognisedStore,
  life: Life,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const store = storeOf(client, life);
  store.listen?.();
  const ping = inFlight(async (starter) => store.ping(starter));
  return async (context) => {
    try {
      const answer = await ping(context);
      if (answer === 'pong') return [];
      if (answer === 'blocked') return [new Info(blockedText, { id: messageIds.redisBlocked })];
      return [message(messageIds.redisPingFailed, 'ping failed', 'the reply was not a ping reply')];
    } catch (thrown) {
      return [failure(thrown)];
    }
  };
}

const blockedText =
  'The server answers but this client does not: it is waiting in a blocking command, or its connection is dead';

const findings: Readonly<Record<Fault, readonly [id: string, summary: string]>> = {
  unreachable: [messageIds.redisUnreachable, 'Cannot connect to'],
  full: [messageIds.redisUnreachable, 'Cannot connect to'],
  exhausted: [messageIds.redisError, 'error'],
  misconfigured: [messageIds.redisMisconfigured, 'misconfigured'],
  broken: [messageIds.redisPingFailed, 'ping failed'],
  other: [messageIds.redisError, 'error'],
};

function failure(thrown: unknown): ErrorMessage {
  if (thrown instanceof Unavailable) return message(thrown.id, thrown.summary, thrown.message);
  const { fault, text } = reasonOf(thrown);
  const [id, summary] = findings[fault];
  return message(id, summary, text, fault);
}

const hints: Readonly<Record<string, string>> = {
  [messageIds.redisUnreachable]:
    'Check that the server is up, and that the host and port in the settings are right.',
  [messageIds.redisMissing]: 'Open the client before the application serves requests, and keep it open.',
  [messageIds.redisMisconfigured]: 'Compare the user, password and database number with those on the server.',
  [messageIds.redisClusterDown]: 'Run CLUSTER NODES: servers are down, or slots are unassigned.',
  [messageIds.redisPingFailed]:
    "The connection is open but does not respond correctly: see the server's log.",
};

function message(id: string, summary: string, text: string, fault: Fault = 'other'): ErrorMessage {
  const subject = summary.endsWith(' to') ? `${summary} redis` : `Redis ${summary}`;
  const hint = hints[id];
  return new ErrorMessage(`${subject}: ${text}`, { id, fault, ...(hint !== undefined && { hint }) });
}
