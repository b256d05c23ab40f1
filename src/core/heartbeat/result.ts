import {
  type Fault,
  type Finding,
  type LevelName,
  type MessageLevel,
  type CheckMessage,
  Error as ErrorMessage,
  Info,
  isCheckMessage,
  isFault,
  isMessageLevel,
  maxNameLength,
  maxTextLength,
} from './messages.js';
import { scalarsOf } from '../log.js';
import { clean } from '../scrub/scrub.js';
import * as messageIds from './message-ids.js';
import { isObject } from '../objects.js';

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

/** The result of one run of one check. */
export interface CheckResult {
  readonly name: string;
  /** @internal The name as written in JSON. */
  readonly key: string;
  readonly level: Level;
  readonly status: Status;
  /** Whether it fails the heartbeat: its level is `failLevel` or above. */
  readonly failed: boolean;
  /** Whether it would fail, and only `maxLevel` keeps its level below `failLevel`. */
  readonly capped?: boolean;
  readonly messages: readonly Finding[];
  /** Milliseconds the run took. */
  readonly duration: number;
  /** The number of the run in this process: results with the same number are copies of one. */
  readonly run: number;
  /** The kind of failure, if the check says so. */
  readonly fault?: Fault | undefined;
  /** The error of the check, only for the log. */
  readonly error?: unknown;
  /** Whether an earlier heartbeat already had this result: the check did not run again. */
  readonly repeated?: boolean;
  /** Whether a failure affects only this instance or is shared by all. Set when the probes are on and know it. */
  readonly scope?: 'instance' | 'shared';
  /** The evidence for the scope: `a fresh connection fails too`. */
  readonly evidence?: string;
  /** @internal Whether the check was not run for it: an earlier run hangs, or the time was up. */
  readonly notRun?: boolean;
  /** @internal Whether the results of the run were used: every heartbeat that waited for it, or was served from the cache, has the same mark. */
  readonly mark: RunMark;
}

interface RunMark {
  /** Whether a heartbeat with it was announced. */
  announced: boolean;
  /** Whether its messages are in the log. */
  logged: boolean;
  /** The result, marked as repeated. */
  repeat?: CheckResult;
  /** When its run began, on the clock of `performance.now()`; only if a schedule runs the check. */
  started?: number;
}

/** Takes the result of a run. */
export type Settle = (result: CheckResult) => void;

/** The check, as its results refer to it. */
interface Capped {
  readonly name: string;
  readonly key: string;
  readonly maxLevel: Level;
}

/** How a Health judges the level of a check. */
export interface Judge {
  /** The lowest level that fails. */
  readonly failsFrom: Level;
  /** Who is affected by the failure of a check, if that is known. */
  readonly verdictOf: VerdictOf;
}

let runs = 0;

/** The verdict on a check by its name. */
export type VerdictOf = (check: string) => Required<Pick<CheckResult, 'scope' | 'evidence'>> | undefined;

/** The result of a run, its level capped by the check's `maxLevel`. */
export function resultOf(
  check: Capped,
  judge: Judge,
  duration: number,
  findings: Findings,
  error?: unknown,
): CheckResult {
  const { name, key, maxLevel } = check;
  const run = (runs += 1);
  const mark: RunMark = { announced: false, logged: false };
  // The usual case: nothing to cap.
  if (findings === noFindings) {
    const { messages } = noFindings;
    return { name, key, level: 0, status: 'ok', failed: false, messages, duration, run, error, mark };
  }
  const level = findings.level > maxLevel ? maxLevel : findings.level;
  const { messages } = findings;
  const fault = messages.find((message) => message.fault !== undefined)?.fault;
  const status = statusOf(level);
  const failed = level >= judge.failsFrom;
  const result = { name, key, level, status, failed, messages, duration, run, error, mark };
  const verdict = failed ? judge.verdictOf(name) : undefined;
  return {
    ...result,
    ...(!failed && findings.level >= judge.failsFrom && { capped: true }),
    ...(fault && { fault }),
    ...(verdict && { scope: verdict.scope, evidence: verdict.evidence }),
  };
}

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

const noFindings: Findings = { messages: [], level: 0 };

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
