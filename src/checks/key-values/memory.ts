import { clientUnsupported } from '../../core/options/errors.js';
import { Error as ErrorMessage } from '../../core/heartbeat/messages.js';
import type { Check } from '../../core/heartbeat/check.js';
import { inFlight } from '../flight.js';
import { Unavailable } from './store.js';
import { reasonOf } from '../reasons.js';
import { type RedisClient, storeOf } from './connected.js';
import { judge, percent, requireThresholds, type Thresholds } from '../thresholds.js';
import { named } from '../named.js';

/** Bytes a server uses, and may use. */
interface Memory {
  readonly used: number;
  readonly allowed: number;
}

/**
 * A check on the memory of Redis against its `maxmemory`, or all memory of its machine where there is none: Warning
 * `health.W010`, Error `health.E025`. Of a cluster the fullest server counts. Shares, 0.8 and 0.95 by default.
 *
 * @example health.check('redis_memory', checks.redisMemory(redis, { warn: 0.7, error: 0.9 }));
 */
export function redisMemory(client: RedisClient, options: Thresholds = {}): Check {
  const given =
    options.warn === undefined && options.error === undefined ? { warn: 0.8, error: 0.95 } : options;
  const thresholds = requireThresholds('redisMemory', given, 1);
  const store = storeOf(client, 'redisMemory');
  const { memory } = store;
  if (memory === undefined)
    throw clientUnsupported('redisMemory', client, ['ioredis', 'iovalkey', 'redis', '@valkey/valkey-glide']);
  const ids = { warn: 'health.W010', error: 'health.E025' };
  const ask = inFlight(async (starter) => {
    // A client that is offline would queue the question.
    await store.ping(starter);
    return fullest((await memory()).map(memoryOf));
  });
  return named('redis_memory', async (context) => {
    try {
      const { used, allowed } = await ask(context);
      const share = allowed === 0 ? 0 : used / allowed;
      const text = (threshold: number) =>
        `Redis uses ${megabytes(used)} of ${megabytes(allowed)} memory, ${percent(share)}, over ${percent(threshold)}`;
      return judge(share, thresholds, ids, text);
    } catch (thrown) {
      const reason = thrown instanceof Unavailable ? thrown.message : reasonOf(thrown).text;
      return [new ErrorMessage(`Cannot tell the memory of redis: ${reason}`, { id: ids.error })];
    }
  });
}

function memoryOf(info: string): Memory {
  const number = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return { used: number('used_memory'), allowed: number('maxmemory') || number('total_system_memory') };
}

function fullest(all: readonly Memory[]): Memory {
  const share = ({ used, allowed }: Memory) => (allowed === 0 ? 0 : used / allowed);
  return all.toSorted((a, b) => share(b) - share(a))[0] ?? { used: 0, allowed: 0 };
}

const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
