// A file of its own in the package, without imports: a bundle that wants a level gets nothing else.

/** The numeric level of each kind of message. */
export const levels = { debug: 10, info: 20, warning: 30, error: 40, critical: 50 } as const;

/** `debug`, `info`, `warning`, `error` or `critical`. */
export type LevelName = keyof typeof levels;
/** The level of a message: 10, 20, 30, 40 or 50. */
export type MessageLevel = (typeof levels)[LevelName];
/** The level of a check or a heartbeat: that of its worst message, or 0 without messages. */
export type Level = 0 | MessageLevel;
/** The word for a level: `ok` for 0, else the level's name. */
export type Status = 'ok' | LevelName;

const statusByLevel: Readonly<Record<Level, Status>> = {
  0: 'ok',
  10: 'debug',
  20: 'info',
  30: 'warning',
  40: 'error',
  50: 'critical',
};

/** The word for a level: `statusOf(30)` is `'warning'`. */
export function statusOf(level: Level): Status {
  return statusByLevel[level];
}

/** Whether a value is one of the five levels. */
export function isMessageLevel(value: unknown): value is MessageLevel {
  return typeof value === 'number' && value !== 0 && Object.hasOwn(statusByLevel, value);
}
