import { optionInvalid } from '../../core/options/errors.js';
import { clientUnsupported } from '../errors.js';
import { requireKnownOptions, requireValue } from '../../core/options/read-option.js';
import { flag, text, timeout } from '../../core/options/rules.js';
import type { Check } from '../../core/heartbeat/check.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';
import { type Opinion, type OpinionContext, withScope } from '../../core/heartbeat/scope.js';
import { isGetter } from '../client.js';
import { loading } from '../loading.js';
import type { ProgressOptions } from './options.js';
import { isBullQueue } from './client-shapes.js';
import { consumerNames, type RecognisedConsumer, recogniseConsumer } from './shapes.js';

export type { ProgressOptions };

const known = ['name', 'consumer', 'queue', 'pending', 'processed', 'paused', 'stalledAfter', 'noAck'];
const fix =
  'Write checks.progress({ pending: () => queue.length, processed: () => lastDone, stalledAfter: 60_000 }).';

/**
 * A check that work makes progress, not only that a connection is up: Error `health.E036` when there is work and none of it is
 * done for `stalledAfter`. An empty queue is fine, and so is a long job that reports progress; a paused queue is
 * Info `health.I006`. Pass two functions, or a consumer of a supported client.
 *
 * @example health.check('orders', checks.progress({ pending: () => queue.length, processed: () => lastDone, stalledAfter: 60_000 }));
 * @example health.check('orders', checks.progress({ consumer: worker, queue, stalledAfter: 60_000 })); // BullMQ
 * @example health.check('orders', checks.progress({ consumer: channel, queue: 'orders', stalledAfter: 60_000 })); // amqplib
 */
export function progress(options: ProgressOptions): Check {
  requireKnownOptions(options, known, 'checks.progress');
  const { name, consumer, queue, pending, processed, paused, noAck } = options;
  require(name === undefined || text.accepts(name), 'name', name, text.expects);
  const stalledAfter = requireValue(options.stalledAfter, timeout, 'stalledAfter of checks.progress', fix);
  require(noAck === undefined || flag.accepts(noAck), 'noAck', noAck, flag.expects);
  for (const [option, given] of Object.entries({ pending, processed, paused })) {
    const isNeeded = consumer === undefined && option !== 'paused';
    const isFine = typeof given === 'function' || (given === undefined && !isNeeded);
    require(isFine, option, given, 'a function');
  }
  const found = consumer === undefined ? undefined : requireConsumer(consumer, queue, pending);
  const check = loading(
    name === undefined ? 'progress' : `progress_${name}`,
    () => import('./index.js'),
    ({ progressMade }, life) =>
      progressMade({
        name,
        consumer: found,
        queue,
        pending,
        processed,
        paused,
        stalledAfter,
        noAck,
        life,
      }),
  );
  if (typeof found === 'object' && found.scope === 'shared') return withScope(check, 'shared');
  return withScope(check, 'auto', { dependency: check, ask: whoseTrouble });
}

function require(isFine: boolean, option: string, given: unknown, expects: string): void {
  if (!isFine) throw optionInvalid(`Option ${option} of checks.progress`, given, expects, fix);
}

/** Rejects a value that is not a consumer, and a consumer that needs another option. */
function requireConsumer(
  consumer: unknown,
  queue: unknown,
  pending: unknown,
): RecognisedConsumer | (() => unknown) {
  const recognised = recogniseConsumer(consumer);
  if (recognised === undefined) {
    if (isGetter(consumer)) return consumer;
    throw clientUnsupported('consumer of checks.progress', consumer, [
      ...consumerNames,
      'a function that returns one of them',
    ]);
  }
  if (recognised.queue === 'bullmq' && !isBullQueue(queue) && pending === undefined) {
    throw clientUnsupported('queue of checks.progress', queue, [
      'bullmq Queue, because a Worker cannot count waiting jobs',
    ]);
  }
  if (recognised.queue === 'name' && !text.accepts(queue) && pending === undefined) {
    throw optionInvalid(
      'Option queue of checks.progress',
      queue,
      'the name of the queue',
      "Write checks.progress({ consumer: channel, queue: 'orders', stalledAfter: 60_000 }).",
    );
  }
  return recognised;
}

const unknowns: ReadonlySet<string> = /* @__PURE__ */ new Set<string>([
  messageIds.progressUnknown,
  messageIds.timedOut,
  messageIds.stillRunning,
]);

/** Stalled work is a fault of this instance; a broker that cannot be reached is a fault of all. */
async function whoseTrouble({ result }: OpinionContext): Promise<Opinion> {
  const isShared = result.messages.some(
    ({ id, fields }) => unknowns.has(id) || fields?.['connected'] === false,
  );
  return isShared
    ? { scope: 'shared', evidence: 'the source of the work cannot be reached' }
    : { scope: 'instance', evidence: 'this instance makes no progress' };
}
