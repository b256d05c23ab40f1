import { levels } from '../core/heartbeat/messages.js';
import { defer, type Logger, logLines, type LogRecord } from '../core/log.js';
import { oneOf, optional } from '../core/options/rules.js';
import { readOption } from '../core/options/read-options.js';
import { attempt, environment, host, timersEndWithRequest } from '../core/runtime.js';
import { JsonLogFormatter, type JsonLogFormatterOptions } from './formatter.js';
import { PrettyFormatter } from './pretty.js';

type OutputName = 'stdout' | 'stderr';

/** Bytes that may wait in a stream for its reader: more lines are dropped, and counted. */
const maxWaiting = 8 * 1024 * 1024;

/** Standard output or standard error. The lines of one turn of the event loop are one write to the current stream. */
class Output {
  readonly #name: OutputName;
  #lines = '';
  #count = 0;
  #dropped = 0;
  #report: ((dropped: number) => string) | undefined;
  #isWriting = false;

  constructor(name: OutputName) {
    this.#name = name;
  }

  /** Takes a line with its line feed. `report` makes the line that counts dropped ones. */
  add(line: string, report: (dropped: number) => string): void {
    // Edge workers have no streams. And a replaced stream may log again: each line would cause the next.
    if (timersEndWithRequest) return console[this.#name === 'stderr' ? 'error' : 'log'](line.trimEnd());
    if (this.#isWriting) return;
    this.#report = report;
    this.#lines += line;
    this.#count += 1;
    if (this.#count === 1) defer(this.#write);
  }

  readonly #write = (): void => {
    const lines = this.#lines;
    const count = this.#count;
    this.#lines = '';
    this.#count = 0;
    this.#isWriting = true;
    try {
      const stream = host[this.#name];
      if (stream !== undefined && stream.writableLength > maxWaiting) {
        this.#dropped += count;
        logLines.dropped += count;
      } else if (this.#dropped === 0) stream?.write(lines, this.#ignore);
      else {
        const report = this.#report?.(this.#dropped) ?? '';
        this.#dropped = 0;
        stream?.write(report + lines, this.#ignore);
      }
    } catch {
      // A stream that the application has replaced may throw.
    } finally {
      this.#isWriting = false;
    }
  };

  /** As the console does: an error of the stream, such as a closed reader, does not end the process. */
  readonly #ignore = (error: unknown): void => {
    const stream = host[this.#name];
    if (!(error instanceof Error) || stream === undefined || stream.listenerCount('error') > 0) return;
    stream.once('error', () => {
      // The console ignores no error of a stream that has emitted one: the next line of the application would end the process.
      Reflect.set(Object(Reflect.get(stream, '_writableState')), 'errorEmitted', false);
    });
  };
}

const outputs: Readonly<Record<OutputName, Output>> = {
  stdout: /* @__PURE__ */ new Output('stdout'),
  stderr: /* @__PURE__ */ new Output('stderr'),
};

type Format = (record: LogRecord) => string;

/** The format of lines: `json` for machines, `pretty` for a developer's terminal. */
export type LogFormat = 'json' | 'pretty';

/** Options of `stdoutLogger`. */
export interface StdoutLoggerOptions extends JsonLogFormatterOptions {
  /** Default: `HEALTH_LOG_FORMAT`; without it `pretty` on a terminal unless `NODE_ENV` is `production`, else `json`. */
  readonly format?: LogFormat | undefined;
  /** Where lines go: `'stdout'` or `'stderr'`. Default: `HEALTH_LOG_TO`, else `'stdout'`. */
  readonly to?: OutputName | undefined;
}

const formats = optional(oneOf<LogFormat>('json', 'pretty'));
const outputNames = oneOf<OutputName>('stdout', 'stderr');

/** `HEALTH_LOG_TO`, unless an option says otherwise. */
function outputName(to?: unknown): OutputName {
  return readOption(to, 'logTo', outputNames, 'stdout', 'to of stdoutLogger');
}

/**
 * The default logger: lines on standard output, or on standard error, in one write at the end of each event-loop turn.
 *
 * @example new Health(app, { logger: stdoutLogger({ loggerName: 'acme', format: 'json' }) })
 */
export function stdoutLogger(options: StdoutLoggerOptions = {}): Logger {
  const format = readOption(options.format, 'logFormat', formats, undefined, 'format of stdoutLogger');
  const to = outputName(options.to);
  let write: Format | undefined;
  // Created with the first line: reading `process.stdout` creates the stream.
  const line: Format = (record) => (write ??= createFormat(format, to, options))(record);
  const report = (dropped: number) =>
    `${line({
      logger: 'health',
      level: levels.warning,
      time: Date.now(),
      fields: { dropped },
      msg: `${dropped} log lines were dropped: standard ${to === 'stderr' ? 'error' : 'output'} was not read fast enough`,
    })}\n`;
  const logger: Logger = {
    // It needs no context.
    deferrable: true,
    log: (record) => outputs[to].add(`${line(record)}\n`, report),
  };
  lineFormats.set(logger, () => chooseLineFormat(format, to));
  return logger;
}

/** The format of a logger's lines, if it is a `stdoutLogger`: the watchdog's thread writes the same. */
export function lineFormat(logger: Logger): LineFormat | undefined {
  return lineFormats.get(logger)?.();
}

/** The format of lines that the application's own logger cannot write. */
export function defaultLineFormat(): LineFormat {
  return plainJson(outputName());
}

/** How a thread writes the same lines as a logger. */
export interface LineFormat {
  readonly pretty: boolean;
  readonly colourful: boolean;
  readonly to: OutputName;
}

const lineFormats = /* @__PURE__ */ new WeakMap<Logger, () => LineFormat>();

function chooseLineFormat(format: LogFormat | undefined, to: OutputName): LineFormat {
  const { NODE_ENV, NO_COLOR, TERM } = environment();
  if (format === 'json' || (format === undefined && NODE_ENV === 'production')) return plainJson(to);
  const onTerminal = attempt(() => host[to]?.isTTY) === true;
  if (format === undefined && !onTerminal) return plainJson(to);
  return { pretty: true, colourful: onTerminal && !NO_COLOR && TERM !== 'dumb', to };
}

const plainJson = (to: OutputName): LineFormat => ({ pretty: false, colourful: false, to });

function createFormat(
  format: LogFormat | undefined,
  to: OutputName,
  options: JsonLogFormatterOptions,
): Format {
  const json = new JsonLogFormatter(options);
  const { pretty: isPretty, colourful } = chooseLineFormat(format, to);
  if (!isPretty) return (record) => json.format(record);
  const pretty = new PrettyFormatter(colourful);
  // Only callers without types pass values that throw when read.
  return (record) => attempt(() => pretty.format(record)) ?? json.format(record);
}
