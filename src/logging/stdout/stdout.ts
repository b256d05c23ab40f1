import type { Logger, LogRecord } from '../../core/log.js';
import type { Rule } from '../../core/options/rules.js';
import { readOption } from '../../core/options/read-option.js';
import { attempt, environment, host, timersEndWithRequest } from '../../core/runtime.js';
import { shared } from '../../core/shared.js';
import { JsonLogFormatter, type JsonLogFormatterOptions } from '../line/json-log-formatter.js';
import { PrettyFormatter } from '../line/pretty.js';
import type { OutputName } from './descriptor.js';
import { LineWriter } from './line-writer.js';
import { ReplacedOutput } from './replaced-output.js';

/** One for all copies of the package: two would tear each other's lines if a pipe is full. */
const writers = /* @__PURE__ */ shared<Partial<Record<OutputName, LineWriter>>>('stdout', () => ({}));
const replaced: Readonly<Record<OutputName, ReplacedOutput>> = {
  stdout: /* @__PURE__ */ new ReplacedOutput('stdout'),
  stderr: /* @__PURE__ */ new ReplacedOutput('stderr'),
};

/** Makes a line of a record. */
interface LineFormatter {
  format(record: LogRecord): string;
}

/** Writes lines, each with its line feed, to the log; `formatter` reports those that had to be dropped. */
function stdoutWrite(formatter: LineFormatter, to = outputName()): (line: string) => void {
  // Workers have no descriptors, whatever they have of Node.
  if (timersEndWithRequest) return (line) => console[to === 'stderr' ? 'error' : 'log'](line.trimEnd());
  const report = (dropped: number) =>
    `${formatter.format({
      logger: 'health',
      level: 30,
      time: Date.now(),
      fields: { dropped },
      msg: `${dropped} log lines were dropped: standard ${to === 'stderr' ? 'error' : 'output'} was not read fast enough`,
    })}\n`;
  return (line) => {
    if (replaced[to].write(line, report, writers[to]?.waits !== true)) return;
    // Made with the first line: an application that logs elsewhere gets no listener.
    writers[to] ??= new LineWriter(to);
    writers[to].write(line, report);
  };
}

/** The format of lines: `json` for machines, `pretty` for a developer's terminal. */
export type LogFormat = 'json' | 'pretty';

/** Options of `stdoutLogger`. */
export interface StdoutLoggerOptions extends JsonLogFormatterOptions {
  /** Default: `HEALTH_LOG_FORMAT`; without it `pretty` on a terminal unless `NODE_ENV` is `production`, else `json`. */
  readonly format?: LogFormat | undefined;
  /** Where lines go: `'stdout'` or `'stderr'`. Default: `HEALTH_LOG_TO`, else `'stdout'`. */
  readonly to?: OutputName | undefined;
}

/** `HEALTH_LOG_TO`, unless an option says otherwise. */
function outputName(to?: unknown): OutputName {
  return readOption(to, 'logTo', outputRule, 'stdout', 'to of stdoutLogger') ?? 'stdout';
}

const outputRule: Rule<OutputName | undefined> = {
  expects: "'stdout' or 'stderr'",
  accepts: (value): value is OutputName => value === 'stdout' || value === 'stderr',
  fromText: (text) => text.toLowerCase(),
};

/**
 * The default logger: lines on standard output, or on standard error, one write per event-loop turn.
 *
 * @example new Health(app, { logger: stdoutLogger({ loggerName: 'acme', format: 'json' }) })
 */
export function stdoutLogger({ format, to: given, ...options }: StdoutLoggerOptions = {}): Logger {
  const wanted = readOption(format, 'logFormat', formatRule, undefined, 'format of stdoutLogger');
  const to = outputName(given);
  let chosen: LineFormatter | undefined;
  const formatter: LineFormatter = {
    // With the first line: asking for the stream makes it.
    format: (record) => (chosen ??= formatterOf(wanted, to, options)).format(record),
  };
  const write = stdoutWrite(formatter, to);
  const logger: Logger = {
    // It asks for no context.
    deferrable: true,
    log(record) {
      // The reader has closed the pipe.
      if (writers[to]?.closed !== true) write(`${formatter.format(record)}\n`);
    },
  };
  looks.set(logger, () => lookOf(wanted, to));
  return logger;
}

/** The format of a logger's lines, if it is one of ours: the watchdog's thread writes the same. */
export function lookOfLogger(logger: Logger): Look | undefined {
  return looks.get(logger)?.();
}

/** The format of lines that the application's own logger cannot write. */
export function defaultLook(): Look {
  return plainJson(outputName());
}

export interface Look {
  readonly pretty: boolean;
  readonly colourful: boolean;
  readonly to: OutputName;
}

const looks = /* @__PURE__ */ shared('looks', () => new WeakMap<Logger, () => Look>());

function lookOf(wanted: LogFormat | undefined, to: OutputName): Look {
  const { NODE_ENV, NO_COLOR, TERM } = environment();
  if (wanted === 'json' || (wanted === undefined && NODE_ENV === 'production')) return plainJson(to);
  const onTerminal = attempt(() => host[to]?.isTTY) === true;
  if (wanted === undefined && !onTerminal) return plainJson(to);
  return { pretty: true, colourful: onTerminal && !NO_COLOR && TERM !== 'dumb', to };
}

const plainJson = (to: OutputName): Look => ({ pretty: false, colourful: false, to });

const formatRule: Rule<LogFormat | undefined> = {
  expects: "'json' or 'pretty'",
  accepts: (value): value is LogFormat => value === 'json' || value === 'pretty',
  fromText: (text) => text.toLowerCase(),
};

function formatterOf(
  wanted: LogFormat | undefined,
  to: OutputName,
  options: JsonLogFormatterOptions,
): LineFormatter {
  const json = new JsonLogFormatter(options);
  const look = lookOf(wanted, to);
  if (!look.pretty) return json;
  const pretty = new PrettyFormatter(look.colourful);
  // Only callers without types pass values that throw when read.
  return { format: (record) => attempt(() => pretty.format(record)) ?? json.format(record) };
}
