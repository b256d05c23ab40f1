import { statusOf } from '../../core/heartbeat/messages.js';
import type { Logger } from '../../core/log.js';
import { errorCopy } from '../../core/scrub/scrub.js';
import { hasMethods } from '../methods.js';

/** A LogTape logger: each logger of ours is a category below it. */
export interface LogTapeLike {
  readonly category: readonly string[];
  getChild(category: readonly [string, ...string[]]): {
    emit(record: {
      level: 'debug' | 'info' | 'warning' | 'error' | 'fatal';
      message: readonly unknown[];
      rawMessage: string;
      timestamp: number;
      properties: Record<string, unknown>;
    }): void;
  };
}

export const isLogTape = (value: unknown): value is LogTapeLike =>
  hasMethods(value, 'getChild') && 'category' in value && Array.isArray(value.category);

export function fromLogTape(logTape: LogTapeLike): Logger {
  return {
    log({ logger, level, time, fields, msg = '', error }) {
      const [first = logger, ...rest] = logger.split('.');
      const status = statusOf(level);
      logTape.getChild([first, ...rest]).emit({
        level: status === 'critical' || status === 'ok' ? 'fatal' : status,
        message: [msg],
        rawMessage: msg,
        timestamp: time,
        properties: { ...fields, ...(error !== undefined && { error: errorCopy(error) }) },
      });
    },
  };
}
