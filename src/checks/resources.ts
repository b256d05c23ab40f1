import { type Check, withScope } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { requireValue, text } from '../core/options/rules.js';
import { host } from '../core/runtime.js';
import { lastPart } from '../core/scrub/printable.js';
import { named } from './client.js';
import { Failure, reporting } from './reasons.js';
import { judge, megabytes, percent, type Thresholds, thresholdsIn } from './thresholds.js';

/** Options of `checks.disk`; `warn` and `error` are shares of the space, 0.8 and 0.9 by default. */
export interface DiskOptions extends Thresholds {
  /** A directory on the file system to check. */
  readonly path: string;
}

/**
 * A check of the free space of a file system, as available to this process: `health.E017`.
 *
 * @example health.check('uploads_space', checks.disk({ path: '/uploads', warn: 0.8, error: 0.95 }));
 */
export function disk(options: DiskOptions): Check {
  const thresholds = thresholdsIn('disk', options, ['path'], 1, { warn: 0.8, error: 0.9 });
  const path = requireValue(
    options.path,
    text,
    'path of checks.disk',
    "Write checks.disk({ path: '/data' }).",
  );
  // The report is public: the name of the folder helps, its path does not.
  const shown = lastPart(path);
  const hint = `The folder is ${path}`;
  const unreadable = [messageIds.disk, `Cannot read the free space of ${shown}`, hint] as const;
  return reporting(`disk_${shown}`, 'instance', unreadable, async () => {
    const fs = host.getBuiltinModule?.('node:fs/promises');
    if (fs === undefined) throw new Failure('This runtime has no file system');
    const { blocks, bavail } = await fs.statfs(path);
    // File systems without a size, such as /proc, are never full.
    const used = blocks === 0 ? 0 : 1 - bavail / blocks;
    const text = (threshold: number) => `${shown} is ${percent(used)} full, above ${percent(threshold)}`;
    return judge(used, thresholds, messageIds.disk, text, hint);
  });
}

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

function memoryLimit(): number {
  const machine = host.getBuiltinModule?.('node:os')?.totalmem() ?? Infinity;
  const container = host.constrainedMemory?.() ?? 0;
  return container > 0 ? Math.min(container, machine) : machine;
}
