import { clientUnsupported } from '../../core/options/errors.js';
import { Error as ErrorMessage } from '../../core/heartbeat/messages.js';
import type { Check } from '../../core/heartbeat/check.js';
import { hasMethods, property } from '../client.js';
import { inFlight, orAborted, type Starter } from '../flight.js';
import { closeClient, type MicroserviceClient, partsOf, reply } from './connection.js';
import { Unavailable } from '../key-values/store.js';
import { isRedisClient, storeOf } from '../key-values/connected.js';
import { NotReady, reasonOf } from '../reasons.js';
import { named } from '../named.js';
import { judge, milliseconds, requireThresholds, type Thresholds } from '../thresholds.js';

/** Options of `checks.microservice`; `warn` and `error` are milliseconds until the answer. */
export interface MicroserviceOptions extends Thresholds {
  /** A message to which the microservice replies. Without it, the connection is checked. */
  readonly pattern?: string | number | object;
  /** What is sent with the `pattern`. Default: an empty object. */
  readonly data?: unknown;
}

/**
 * A check on a microservice of NestJS: Error `health.E027` when it cannot be reached, `health.W012` when slow.
 * Takes the client of your application, or a function that makes one, which is closed after each run.
 *
 * @example health.check('math', checks.microservice(client, { pattern: { cmd: 'ping' } }));
 * @example health.check('math', checks.microservice(() => ClientProxyFactory.create({ transport: Transport.TCP, options: { host: 'math', port: 3001 } })));
 */
export function microservice(
  client: MicroserviceClient | (() => MicroserviceClient),
  options: MicroserviceOptions = {},
): Check {
  const isOwn = typeof client === 'function';
  if (!isOwn) requireClient(client);
  const thresholds = requireThresholds('microservice', options);
  const ids = { warn: 'health.W012', error: 'health.E027' };
  const hint = 'Is the microservice up, or the broker between, and are the transport and its options right?';
  const asked = inFlight(async (starter) => {
    const started = performance.now();
    const used = isOwn ? client() : client;
    if (isOwn && !isClient(used)) throw new NotReady('the function gives no ClientProxy that connects');
    if (!isOwn) await ask(used, options, starter);
    else {
      const connecting = used.connect();
      try {
        await ask(used, options, starter, connecting);
      } finally {
        await closeClient(used, connecting, starter.signal);
      }
    }
    return performance.now() - started;
  });
  return named('microservice', async (context) => {
    try {
      const took = await asked(context);
      const text = (threshold: number) =>
        `The microservice answered after ${milliseconds(took)}, over ${milliseconds(threshold)}`;
      return judge(took, thresholds, ids, text);
    } catch (thrown) {
      const text = thrown instanceof Unavailable ? thrown.message : reasonOf(thrown).text;
      return [new ErrorMessage(`Cannot reach the microservice: ${text}`, { id: ids.error, hint })];
    }
  });
}

/** Connects where that is still to be done, and has an answer over the connection where the transport gives one. */
async function ask(
  client: MicroserviceClient,
  { pattern, data = {} }: MicroserviceOptions,
  starter: Starter,
  connecting = client.connect(),
): Promise<void> {
  await orAborted(connecting, starter.signal);
  if (pattern !== undefined) return reply(client, pattern, data, starter.signal);
  const parts = partsOf(client);
  // The transport of Redis has two clients, one of them for subscriptions.
  for (const part of parts.filter(isRedisClient)) await storeOf(part, 'microservice').ping(starter);
  // A server of Nest answers a message that it has no handler for by saying so.
  if (parts.some((part) => hasMethods(part, 'setNoDelay', 'destroy')))
    await reply(client, 'lifesign', {}, starter.signal, isUnhandled);
}

/** Whether the server says that it has no handler for a message, which is an answer. */
const isUnhandled = (thrown: unknown) =>
  /no matching message handler/i.test(
    String(typeof thrown === 'string' ? thrown : property(thrown, 'message')),
  );

/** The client of gRPC cannot connect: it has clients of @grpc/grpc-js inside. */
const isGrpc = (value: unknown) => hasMethods(value, 'getClientByServiceName');
const isClient = (value: unknown) => hasMethods(value, 'connect', 'close', 'send', 'emit') && !isGrpc(value);

function requireClient(client: unknown): void {
  if (isClient(client)) return;
  const supported = isGrpc(client)
    ? ["for gRPC checks.grpc(client.getClientByServiceName('HeroService'))"]
    : ['ClientProxy of @nestjs/microservices', 'a function that makes one'];
  throw clientUnsupported('microservice', client, supported);
}
