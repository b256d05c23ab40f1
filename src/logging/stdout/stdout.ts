import type { Logger, LogRecord } from '../../core/log.js';
import type { Rule } from '../../core/options/rules.js';
import { readOption } from '../../core/options/options.js';
import { allowed, environment, host, timersEndWithRequest } from '../../core/runtime.js';
import { shared } from '../../core/shared.js';
import { JsonLogFormatter, type JsonLogFormatterOptions } from '../line/json-log-formatter.js';
import { LineWriter } from './line-writer.js';
import { PrettyFormatter } from '../line/pretty.js';
import { writeReplaced } from './replaced-stdout.js';

/** One for all copies of the package: two would tear each other's lines where a pipe is full. */
const output = /* @__PURE__ */ shared<{ writer?: LineWriter }>('stdout', () => ({}));

/** Makes a line of a record. */
interface LineFormatter {
  format(record: LogRecord): string;
}

/** Writes lines to standard output, each with its line feed; `formatter` tells of those that had to be dropped. */
export function stdoutWrite(formatter: LineFormatter): (line: string) => void {
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
    // Made with the first line: an application that logs elsewhere gets no listener.
    output.writer ??= new LineWriter();
    output.writer.write(line, report);
  };
}

/** The format of lines: `json` for machines, `pretty` for a developer's terminal. */
export type LogFormat = 'json' | 'pretty';

/** Options of `stdoutLogger`. */
export interface StdoutLoggerOptions extends JsonLogFormatterOptions {
  /** Default: `HEALTH_LOG_FORMAT`; without it `pretty` on a terminal unless `NODE_ENV` is `production`, else `json`. */
  readonly format?: LogFormat | undefined;
}

/**
 * The default logger: lines on standard output, one write per event-loop turn.
 *
 * @example new Health(app, { logger: stdoutLogger({ loggerName: 'acme', format: 'json' }) })
 */
export function stdoutLogger({ format, ...options }: StdoutLoggerOptions = {}): Logger {
  const wanted = readOption(format, 'logFormat', formatRule, undefined, 'format of stdoutLogger');
  let chosen: LineFormatter | undefined;
  const formatter: LineFormatter = {
    // With the first line: asking for the stream makes it.
    format: (record) => (chosen ??= formatterOf(wanted, options)).format(record),
  };
  const write = stdoutWrite(formatter);
  const logger: Logger = {
    // It asks for no context.
    mayBeLate: true,
    log(record) {
      // Nobody reads any more.
      if (output.writer?.closed !== true) write(`${formatter.format(record)}\n`);
    },
  };
  looks.set(logger, () => lookOf(wanted));
  return logger;
}

/** How the lines of a logger look, where it is one of ours: the watchdog's thread writes the same. */
export function lookOfLogger(logger: Logger): Look | undefined {
  return looks.get(logger)?.();
}

interface Look {
  readonly pretty: boolean;
  readonly colourful: boolean;
}

const looks = /* @__PURE__ */ shared('looks', () => new WeakMap<Logger, () => Look>());

function lookOf(wanted: LogFormat | undefined): Look {
  const { NODE_ENV, NO_COLOR, TERM } = environment();
  if (wanted === 'json' || (wanted === undefined && NODE_ENV === 'production')) return plainJson;
  const onTerminal = allowed(() => host.stdout?.isTTY) === true;
  if (wanted === undefined && !onTerminal) return plainJson;
  return { pretty: true, colourful: onTerminal && !NO_COLOR && TERM !== 'dumb' };
}

const plainJson: Look = { pretty: false, colourful: false };

const formatRule: Rule<LogFormat | undefined> = {
  expects: "'json' or 'pretty'",
  accepts: (value): value is LogFormat => value === 'json' || value === 'pretty',
  fromText: (text) => text.toLowerCase(),
};

function formatterOf(wanted: LogFormat | undefined, options: JsonLogFormatterOptions): LineFormatter {
  const json = new JsonLogFormatter(options);
  const look = lookOf(wanted);
  if (!look.pretty) return json;
  const pretty = new PrettyFormatter(look.colourful);
  // Only callers without types hand over what throws when it is read.
  return { format: (record) => allowed(() => pretty.format(record)) ?? json.format(record) };
}
