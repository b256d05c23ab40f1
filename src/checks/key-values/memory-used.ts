import type { CheckContext } from '../../core/heartbeat/check.js';
import { type CheckMessage, Error as ErrorMessage } from '../../core/heartbeat/messages.js';
import { inFlight } from '../flight.js';
import type { Life } from '../life.js';
import { reasonOf } from '../reasons.js';
import { judge, percent, type Thresholds } from '../thresholds.js';
import { Unavailable } from './store.js';
import type { RecognisedStore } from './shapes.js';
import { storeOf } from './stores.js';
import * as messageIds from '../../core/heartbeat/message-ids.js';

/** Bytes a server uses, and may use. */
interface Memory {
  readonly used: number;
  readonly available: number;
  readonly ratio: number;
}

/** The code of `checks.redisMemory`, loaded when the check is created. */
export function memoryUsed(
  client: RecognisedStore,
  thresholds: Thresholds,
  life: Life,
): (context: CheckContext) => Promise<readonly CheckMessage[]> {
  const store = storeOf(client, life);
  const ids = messageIds.redisMemory;
  const readMemory = inFlight(async (starter) => {
    // A client that is offline would queue the question.
    await store.ping(starter);
    return fullest((await store.memory()).map(memoryOf));
  });
  return async (context) => {
    try {
      const { used, available, ratio } = await readMemory(context);
      const text = (threshold: number) =>
        `Redis uses ${megabytes(used)} of ${megabytes(available)} memory, ${percent(ratio)}, above ${percent(threshold)}`;
      return judge(ratio, thresholds, ids, text);
    } catch (thrown) {
      const reason = thrown instanceof Unavailable ? thrown.message : reasonOf(thrown).text;
      return [new ErrorMessage(`Cannot read the memory usage of redis: ${reason}`, { id: ids.error })];
    }
  };
}

function memoryOf(info: string): Memory {
  const number = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const used = number('used_memory');
  const available = number('maxmemory') || number('total_system_memory');
  return { used, available, ratio: available === 0 ? 0 : used / available };
}

function fullest(all: readonly Memory[]): Memory {
  return all.toSorted((a, b) => b.ratio - a.ratio)[0] ?? memoryOf('');
}

const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
