import { messageIdMissing, messageTextInvalid } from './errors.js';
import { clean } from './scrub.js';

/** The numeric level of each kind of message. */
export const levels = { debug: 10, info: 20, warning: 30, error: 40, critical: 50 } as const;

/** `debug`, `info`, `warning`, `error` or `critical`. */
export type LevelName = keyof typeof levels;
/** The level of a message: 10, 20, 30, 40 or 50. */
export type MessageLevel = (typeof levels)[LevelName];
/** The level of a check or a heartbeat: that of its worst message, 0 without one. */
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

/** What a message carries beside its text. */
export interface MessageOptions {
  /** Stable name of this finding, searchable in logs and runbooks: `'myapp.health.W001'`. */
  readonly id: string;
  /** What to do about it. It goes to the log and the health page, not into the report. */
  readonly hint?: string;
}

/** What is kept of a message: a copy that nobody can change. */
export interface Finding {
  readonly level: MessageLevel;
  readonly text: string;
  readonly id: string;
  readonly hint: string | undefined;
}

/** Whether a value is one of the five levels. */
export function isMessageLevel(value: unknown): value is MessageLevel {
  return typeof value === 'number' && value !== 0 && Object.hasOwn(statusByLevel, value);
}

const longest = 2000;

// A registered symbol: the package may be loaded twice, as ES module and as CommonJS, or from another dependency.
const brand = Symbol.for('lifesign.message');

/** What a check returns: a text, an id, a level. Use one of the five kinds. */
export abstract class CheckMessage {
  abstract readonly level: MessageLevel;
  /** What is wrong, without credentials and at most 2,000 characters long: it goes to clients and logs. */
  readonly text: string;
  readonly id: string;
  readonly hint: string | undefined;
  /** @internal Not in the types: those of the other form of the package would not match. */
  readonly [brand] = true;

  constructor(text: string, options: MessageOptions) {
    if (typeof text !== 'string') throw messageTextInvalid(new.target.name, text);
    const id: unknown = options?.id;
    if (typeof id !== 'string' || id === '') throw messageIdMissing(new.target.name, id);
    this.text = clean(text, longest);
    this.id = id;
    this.hint = options.hint;
  }

  /** @internal Takes messages of another copy of the package for its own. */
  static [Symbol.hasInstance](value: unknown): boolean {
    if (Reflect.apply(Function.prototype[Symbol.hasInstance], this, [value])) return true;
    if (!isCheckMessage(value)) return false;
    return this === CheckMessage || value.level === kinds.get(this);
  }
}

/** For developers: listed in the report, never fails the heartbeat by default. */
export class Debug extends CheckMessage {
  readonly level = levels.debug;
}

/** Worth knowing, nothing to do: listed in the report, never fails the heartbeat by default. */
export class Info extends CheckMessage {
  readonly level = levels.info;
}

/**
 * Something needs attention. Fails the heartbeat by default.
 *
 * @example new checks.Warning('Storage is slow', { id: 'acme.health.W001', hint: 'See the storage runbook' })
 */
export class Warning extends CheckMessage {
  readonly level = levels.warning;
}

/** Something is broken. Fails the heartbeat by default. */
export class Error extends CheckMessage {
  readonly level = levels.error;
}

/** The service cannot do its work. Fails the heartbeat by default. */
export class Critical extends CheckMessage {
  readonly level = levels.critical;
}

/** The level of each of the five; a class derived from one of them is not here. */
const kinds: ReadonlyMap<unknown, MessageLevel> = /* @__PURE__ */ new Map<unknown, MessageLevel>([
  [Debug, levels.debug],
  [Info, levels.info],
  [Warning, levels.warning],
  [Error, levels.error],
  [Critical, levels.critical],
]);

/** Whether a value is a check message, of this copy of the package or another. */
export function isCheckMessage(value: unknown): value is CheckMessage {
  return typeof value === 'object' && value !== null && brand in value;
}
