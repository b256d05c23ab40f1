import { type Check, withScope } from '../core/heartbeat/check.js';
import { host } from '../core/runtime.js';
import { judge, megabytes, percent, thresholdsIn, type Thresholds } from './thresholds.js';
import { named } from './client.js';
import * as messageIds from '../core/heartbeat/message-ids.js';

/** Options of `checks.memory`; `warn` and `error` are shares of the limit, 0.8 and 0.9 by default. */
export interface MemoryOptions extends Thresholds {
  /** Bytes this process may use. Default: the limit of its container, or all memory of the machine. */
  readonly limit?: number;
}

/**
 * A check of the memory of this process (resident set): `health.E018`. Its scope is `shared`: instances
 * with the same load and the same release use as much.
 *
 * @example health.check('memory', checks.memory({ warn: 0.7, error: 0.9 }));
 */
export function memory(options: MemoryOptions = {}): Check {
  const thresholds = thresholdsIn('memory', options, ['limit'], 1, { warn: 0.8, error: 0.9 });
  const { limit } = options;
  const check = named('memory', () => {
    const used = host.memoryUsage?.rss() ?? 0;
    // Read each time: a container may be resized.
    const allowed = limit ?? memoryLimit();
    const ratio = used / allowed;
    const text = (threshold: number) =>
      `The process uses ${megabytes(used)} of ${megabytes(allowed)} memory, ${percent(ratio)}, above ${percent(threshold)}`;
    return judge(ratio, thresholds, messageIds.memory, text);
  });
  return withScope(check, 'shared');
}

/** The limit of the container; without one, the memory of the machine. */
function memoryLimit(): number {
  const machine = host.getBuiltinModule?.('node:os')?.totalmem() ?? Infinity;
  const container = host.constrainedMemory?.() ?? 0;
  return container > 0 ? Math.min(container, machine) : machine;
}
