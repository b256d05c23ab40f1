import type { Logger } from '../core/log.js';
import { timersEndWithRequest } from '../core/runtime.js';
import { shared } from '../core/shared.js';
import { JsonLogFormatter, type JsonLogFormatterOptions } from './json-log-formatter.js';
import { LineWriter } from './line-writer.js';
import { writeReplaced } from './replaced-stdout.js';

const stdout = 1;
/** One for all copies of the package: two would tear each other's lines where a pipe is full. */
const output = /* @__PURE__ */ shared<{ writer?: LineWriter }>('stdout', () => ({}));

/** Writes lines to standard output, each with its line feed; `formatter` tells of those that had to be dropped. */
export function stdoutWrite(formatter: JsonLogFormatter): (line: string) => void {
  // Workers have no descriptors, whatever they have of Node.
  if (timersEndWithRequest) return (line) => console.log(line.trimEnd());
  const report = (dropped: number) =>
    `${formatter.format({
      logger: 'health',
      level: 30,
      time: Date.now(),
      fields: { dropped },
      msg: `${dropped} log lines were dropped: standard output was not read fast enough`,
    })}\n`;
  return (line) => {
    if (writeReplaced(line, report, output.writer?.waits !== true)) return;
    // Made with the first line: an application that logs elsewhere gets no listeners.
    output.writer ??= new LineWriter(stdout);
    output.writer.write(line, report);
  };
}

/**
 * The default logger: JSON lines on standard output, one write a turn of the event loop.
 *
 * @example new Health(app, { logger: stdoutLogger({ loggerName: 'acme' }) })
 */
export function stdoutLogger(options: JsonLogFormatterOptions = {}): Logger {
  const formatter = new JsonLogFormatter(options);
  const write = stdoutWrite(formatter);
  return {
    // It asks for no context.
    mayBeLate: true,
    log(record) {
      // Nobody reads any more.
      if (output.writer?.closed !== true) write(`${formatter.format(record)}\n`);
    },
  };
}
