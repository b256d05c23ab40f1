import type { Logger } from '../core/log.js';
import { host } from '../core/runtime.js';
import { JsonLogFormatter, type JsonLogFormatterOptions } from './json-log-formatter.js';

let waiting = '';
let hooked = false;

/** The default logger: JSON lines on standard output, one write a turn of the event loop. */
export function stdoutLogger(options: JsonLogFormatterOptions = {}): Logger {
  const formatter = new JsonLogFormatter(options);
  return {
    log(record) {
      write(`${formatter.format(record)}\n`);
    },
  };
}

function write(line: string): void {
  if (waiting === '') (globalThis.setImmediate ?? queueMicrotask)(flush);
  waiting += line;
  // What is still waiting when the process ends would be lost.
  if (!hooked) host.once?.('exit', flush);
  hooked = true;
}

function flush(): void {
  const lines = waiting;
  waiting = '';
  if (lines === '') return;
  if (host.stdout === undefined) console.log(lines.trimEnd());
  else host.stdout.write(lines);
}
