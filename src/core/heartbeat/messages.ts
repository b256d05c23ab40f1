import { messageIdMissing, messageTextInvalid } from '../options/errors.js';
import { clean } from '../scrub/scrub.js';
import { isObject } from '../objects.js';

/** The numeric level of each kind of message. */
export const levels = { debug: 10, info: 20, warning: 30, error: 40, critical: 50 } as const;

/** `debug`, `info`, `warning`, `error` or `critical`. */
export type LevelName = keyof typeof levels;
/** The level of a message: 10, 20, 30, 40 or 50. */
export type MessageLevel = (typeof levels)[LevelName];

export const isMessageLevel = (value: unknown): value is MessageLevel =>
  Object.values(levels).some((level) => level === value);

/** A value that a log line can hold as it is. */
export type Scalar = string | number | boolean | null;

/** Flat fields of a log record. */
export type Fields = Readonly<Record<string, Scalar>>;

/**
 * Kinds of failures of a dependency: `full` is a server that accepts no more connections, `exhausted` a pool that has none left,
 * `broken` a connection that was open.
 */
export type Fault = (typeof faults)[number];

const faults = ['unreachable', 'full', 'exhausted', 'broken', 'misconfigured', 'other'] as const;

/** The options of a message. */
export interface MessageOptions {
  /** Stable name of this finding, searchable in logs and runbooks: `'myapp.health.W001'`. */
  readonly id: string;
  /** How to fix it. It is shown in the log and on the health page, not into the report. */
  readonly hint?: string | undefined;
  /** Numbers and names that belong to the text, for the log: at most 20 strings, numbers or booleans, each a field of its record. */
  readonly fields?: Fields | undefined;
  /** The kind of failure, for second opinions. It is not in the report. */
  readonly fault?: Fault | undefined;
}

/** A frozen copy of a message. */
export interface Finding {
  readonly level: MessageLevel;
  readonly text: string;
  readonly id: string;
  readonly hint: string | undefined;
  readonly fields?: Fields | undefined;
  readonly fault?: Fault | undefined;
}

/** Characters shown of a text or a hint, and of an id or the name of a check. */
export const maxTextLength = 2000;
export const maxNameLength = 200;

// A registered symbol: a bundle of the application has a copy of the package of its own.
const brand = Symbol.for('lifesign.message');

/** A message of a check: a text, an id and a level. Use one of the five kinds. */
export abstract class CheckMessage {
  abstract readonly level: MessageLevel;
  /** The text, without credentials and at most 2,000 characters long: it goes to clients and logs. */
  readonly text: string;
  readonly id: string;
  readonly hint: string | undefined;
  readonly fields?: Fields | undefined;
  readonly fault?: Fault | undefined;
  /** @internal Not in the types: the types of the other form of the package would not match. */
  readonly [brand] = true;

  constructor(text: string, options: MessageOptions) {
    if (typeof text !== 'string') throw messageTextInvalid(new.target.name, text);
    const id: unknown = options?.id;
    if (typeof id !== 'string' || id === '') throw messageIdMissing(new.target.name, id);
    this.text = clean(text, maxTextLength);
    this.id = id;
    this.hint = options.hint;
    if (options.fields !== undefined) this.fields = options.fields;
    if (options.fault !== undefined) this.fault = options.fault;
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
  // Bundled beside the Error of JavaScript, it would be called otherwise.
  static override readonly name = 'Error';
  readonly level = levels.error;
}

/** The service cannot do its work. Fails the heartbeat by default. */
export class Critical extends CheckMessage {
  readonly level = levels.critical;
}

export const isFault = (value: unknown): value is Fault => faults.some((fault) => fault === value);

/** Whether a value is a check message, of this copy of the package or another. */
export const isCheckMessage = (value: unknown): value is CheckMessage => isObject(value) && brand in value;
