// logging/stdout/stdout.ts on edge workers, which have a console and no descriptors.
import type { Logger } from '../core/log.js';
import type * as all from '../logging/stdout/stdout.js';
import { readOption } from '../core/options/read-option.js';
import { JsonLogFormatter } from '../logging/line/json-log-formatter.js';

export function stdoutLogger({
  to: given,
  format: _format,
  ...options
}: all.StdoutLoggerOptions = {}): Logger {
  const formatter = new JsonLogFormatter(options);
  const to = readOption(given, 'logTo', outputRule, 'stdout', 'to of stdoutLogger');
  const write = to === 'stderr' ? 'error' : 'log';
  return { deferrable: true, log: (record) => console[write](formatter.format(record)) };
}

const outputRule = {
  expects: "'stdout' or 'stderr'",
  accepts: (value: unknown): value is 'stdout' | 'stderr' => value === 'stdout' || value === 'stderr',
  fromText: (text: string) => text.toLowerCase(),
};
