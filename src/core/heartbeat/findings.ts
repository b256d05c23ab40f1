import {
  type CheckMessage,
  Error as ErrorMessage,
  type Finding,
  Info,
  isCheckMessage,
  isFault,
  isMessageLevel,
  type Level,
  maxNameLength,
  maxTextLength,
} from './messages.js';
import { scalarsOf } from '../fields.js';
import { clean } from '../scrub/scrub.js';
import * as messageIds from './message-ids.js';
import { isObject } from '../objects.js';

/** The messages of a check, as everything after it reads them: copied, checked, scrubbed and frozen. */
export interface Findings {
  readonly messages: readonly Finding[];
  /** The highest level of all messages, those that are not shown included. */
  readonly level: Level;
}

/** Messages shown of one check, and characters of all of them together. */
const maxMessages = 1000;
const maxTotalText = 256 * 1024;
/** A longer list was not meant to be read, and going through it would block the event loop. */
const maxListLength = 100_000;

export const noFindings: Findings = { messages: [], level: 0 };

/** The messages that a check returned, read once: the check may change them later. Throws if reading throws. */
export function findingsOf(name: string, outcome: unknown, silenced: ReadonlySet<string>): Findings {
  if (outcome === undefined || outcome === null) return noFindings;
  // The usual case.
  if (Array.isArray(outcome) && outcome.length === 0) return noFindings;
  const collected = new Collected(silenced);
  const wrong = Array.isArray(outcome) ? addAll(collected, outcome) : add(collected, outcome);
  if (wrong === undefined) return collected.findings();
  const text = `Check ${name} returned ${wrong} instead of a list of check messages; return [] if nothing is wrong`;
  return findingsWith(new ErrorMessage(text, { id: messageIds.returnedOther }), silenced);
}

/** Findings with a single message. */
export function findingsWith(message: CheckMessage, silenced: ReadonlySet<string>): Findings {
  const collected = new Collected(silenced);
  collected.add(message.level, message.text, message.id, message);
  return collected.findings();
}

/** The findings of two. */
export function mergeFindings(one: Findings, other: Findings): Findings {
  return {
    messages: Object.freeze([...one.messages, ...other.messages]),
    level: one.level > other.level ? one.level : other.level,
  };
}

/** Adds the messages of a list; returns its problem, if any. */
function addAll(collected: Collected, list: readonly unknown[]): string | undefined {
  const { length } = list;
  if (length > maxListLength) return `a list of length ${length}`;
  for (let index = 0; index < length; index += 1) {
    const wrong = add(collected, list[index]);
    if (wrong !== undefined) return `a list with ${wrong} in it`;
  }
  return undefined;
}

/** Adds a message; returns its problem, if any. Each property is read once. */
function add(collected: Collected, value: unknown): string | undefined {
  if (!isCheckMessage(value)) return typeName(value);
  const level: unknown = value.level;
  const text: unknown = value.text;
  const id: unknown = value.id;
  if (!isMessageLevel(level)) return 'a message with an unknown level';
  if (typeof text !== 'string') return `a message whose text is ${typeName(text)}`;
  if (typeof id !== 'string' || id === '')
    return `a message whose id is ${id === '' ? 'empty' : typeName(id)}`;
  collected.add(level, text, id, value);
  return undefined;
}

class Collected {
  readonly #silenced: ReadonlySet<string>;
  readonly #messages: Finding[] = [];
  #level: Level = 0;
  #hidden = 0;
  #left = maxTotalText;

  constructor(silenced: ReadonlySet<string>) {
    this.#silenced = silenced;
  }

  add(
    level: Finding['level'],
    text: string,
    id: string,
    more: Pick<CheckMessage, 'hint' | 'fields' | 'fault'>,
  ): void {
    if (this.#silenced.has(id)) return;
    if (level > this.#level) this.#level = level;
    // A check that floods must not fill the log and the body of every probe.
    if (this.#messages.length === maxMessages || this.#left <= 0) {
      this.#hidden += 1;
      return;
    }
    const { hint, fields, fault }: { hint?: unknown; fields?: unknown; fault?: unknown } = more;
    const finding = {
      level,
      text: clean(text, maxTextLength),
      id: clean(id, maxNameLength),
      hint: typeof hint === 'string' ? clean(hint, maxTextLength) : undefined,
      ...(isObject(fields) && { fields: Object.freeze(scalarsOf(fields)) }),
      ...(isFault(fault) && { fault }),
    };
    this.#left -= finding.text.length + finding.id.length + (finding.hint?.length ?? 0);
    if (finding.fields !== undefined) this.#left -= JSON.stringify(finding.fields).length;
    this.#messages.push(Object.freeze(finding));
  }

  findings(): Findings {
    if (this.#hidden > 0) {
      const text = `${this.#hidden} more messages from this check are not shown`;
      const { level, id } = new Info(text, { id: messageIds.leftOut });
      this.#messages.push(Object.freeze({ level, text, id, hint: undefined }));
    }
    return { messages: Object.freeze(this.#messages), level: this.#level };
  }
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const name = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value;
  return `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name}`;
}
