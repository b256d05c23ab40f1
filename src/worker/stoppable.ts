import { hasMethods } from '../checks/client.js';
import { workerStop } from './errors.js';
import { isObject } from '../core/objects.js';

/**
 * A source of work, and how to stop it: a function, or an object with one of these methods. A BullMQ worker has `close`, which waits for its
 * jobs; pg-boss, a consumer of kafkajs and a schedule of node-cron have `stop`, a channel of amqp-connection-manager has `cancelAll`.
 */
export type Stoppable =
  | (() => unknown)
  | { stop(): unknown }
  | { cancelAll(): unknown }
  | { close(): unknown };

/** One way to stop, with its name in the log. */
export interface Stop {
  readonly name: string;
  readonly call: () => unknown;
}

/** In this order: an object with `stop` may also have `close`, which does not wait for its jobs. */
const methods = ['stop', 'cancelAll', 'close'] as const;

/** The ways to stop the given value: one, or a list. */
export function stopsOf(given: unknown): readonly Stop[] {
  if (given === undefined) return [];
  return (Array.isArray(given) ? given : [given]).map(stopOf);
}

function stopOf(value: unknown): Stop {
  if (typeof value === 'function') {
    return { name: value.name || 'stop', call: () => Reflect.apply(value, undefined, []) };
  }
  const misuse = misuseOf(value);
  if (misuse !== undefined) throw workerStop(value, misuse);
  const method = methods.find((name) => hasMethods(value, name));
  if (method === undefined || !isObject(value)) {
    throw workerStop(
      value,
      `Pass a function, or an object with a method ${methods.join(' or ')}: stop: [worker, () => consumer.pause()].`,
    );
  }
  return {
    name: value.constructor?.name || method,
    call: () => Reflect.apply(Reflect.get(value, method), value, []),
  };
}

/** Objects that have such a method and must not be stopped by it; undefined for everything else. */
function misuseOf(value: unknown): string | undefined {
  if (hasMethods(value, 'cancelAll')) return undefined;
  // Acknowledgements go over the channel: closing it gives every message in progress to another consumer.
  if (hasMethods(value, 'consume', 'cancel', 'ack')) {
    return 'Write stop: () => channel.cancel(consumerTag), and close the channel in onShutdown.';
  }
  // A queue of BullMQ takes no work: it hands it out, and the application may need it until the end.
  if (hasMethods(value, 'obliterate'))
    return 'Pass the Worker of that queue, and close the queue in onShutdown.';
  return undefined;
}
