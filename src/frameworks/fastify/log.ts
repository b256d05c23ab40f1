import { isDeferrable, type Logger, type LogRecord } from '../../core/log.js';
import { isObject } from '../../core/objects.js';
import { adoptLogger, loggerRule } from '../../logging/adopt.js';
import { stdoutLogger } from '../../logging/stdout/stdout.js';

/** The default log of a Health on Fastify: the application's logger, or standard output if that does not log. */
export class FastifyLog implements Logger {
  #target: Logger;

  constructor(loggerName: string) {
    this.#target = stdoutLogger({ loggerName });
  }

  get deferrable(): boolean {
    return isDeferrable(this.#target);
  }

  log(record: LogRecord): void {
    this.#target.log(record);
  }

  /** Takes the logger of an application, if it has one. */
  follow(app: object): void {
    const log: unknown = Reflect.get(app, 'log');
    // Without a logger, or with `logger: false`, Fastify has one of empty functions, which has no level.
    if (!isObject(log) || !('level' in log)) return;
    if (loggerRule.accepts(log) && log) this.#target = adoptLogger(log);
  }
}
