import type { Logger } from '../core/log.js';
import { host } from '../core/runtime.js';
import { JsonLogFormatter, type JsonLogFormatterOptions } from './json-log-formatter.js';
import { LineWriter } from './line-writer.js';

const stdout = 1;
let writer: LineWriter | undefined;

/**
 * The default logger: JSON lines on standard output, one write a turn of the event loop.
 *
 * @example new Health(app, { logger: stdoutLogger({ loggerName: 'acme' }) })
 */
export function stdoutLogger(options: JsonLogFormatterOptions = {}): Logger {
  const formatter = new JsonLogFormatter(options);
  if (host.getBuiltinModule === undefined) {
    return { log: (record) => console.log(formatter.format(record)) };
  }
  const report = (dropped: number) =>
    `${formatter.format({
      logger: 'health',
      level: 30,
      time: Date.now(),
      fields: { dropped },
      msg: `${dropped} log lines were dropped: standard output was not read fast enough`,
    })}\n`;
  return {
    log(record) {
      // Made with the first line: an application that logs elsewhere gets no listeners.
      writer ??= new LineWriter(stdout);
      if (!writer.closed) writer.write(`${formatter.format(record)}\n`, report);
    },
  };
}
