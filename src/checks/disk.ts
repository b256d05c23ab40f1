import type { Check } from '../core/heartbeat/check.js';
import * as messageIds from '../core/heartbeat/message-ids.js';
import { requireValue, text } from '../core/options/rules.js';
import { host } from '../core/runtime.js';
import { lastPart } from '../core/scrub/printable.js';
import { named, OwnError } from './client.js';
import { messageFor, reasonOf } from './reasons.js';
import { judge, percent, type Thresholds, thresholdsIn } from './thresholds.js';

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
  return named(`disk_${shown}`, async () => {
    try {
      const fs = host.getBuiltinModule?.('node:fs/promises');
      if (fs === undefined) throw new OwnError('This runtime has no file system');
      const { blocks, bavail } = await fs.statfs(path);
      // File systems without a size, such as /proc, are never full.
      const used = blocks === 0 ? 0 : 1 - bavail / blocks;
      const text = (threshold: number) => `${shown} is ${percent(used)} full, above ${percent(threshold)}`;
      return judge(used, thresholds, messageIds.disk, text, hint);
    } catch (thrown) {
      return [
        messageFor([messageIds.disk, `Cannot read the free space of ${shown}`, hint], reasonOf(thrown)),
      ];
    }
  });
}
