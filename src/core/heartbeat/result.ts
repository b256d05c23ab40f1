import {
  type CheckMessage,
  Error as ErrorMessage,
  type Fault,
  type Finding,
  Info,
  isCheckMessage,
  isFault,
  isMessageLevel,
  type LevelName,
  maxNameLength,
  maxTextLength,
  type MessageLevel,
} from './messages.js';
import { scalarsOf } from '../log.js';
import { clean } from '../scrub/scrub.js';
import * as messageIds from './message-ids.js';
import { isObject } from '../objects.js';

/** The level of a check or a heartbeat: the level of its worst message, or 0 without messages. */
export type Level = 0 | MessageLevel;
/** The status for a level: `ok` for 0, else the level's name. */
export type Status = 'ok' | LevelName;

const statusByLevel: Readonly<Record<Level, Status>> = {
  0: 'ok',
  10: 'debug',
  20: 'info',
  30: 'warning',
  40: 'error',
  50: 'critical',
};

export const statusOf = (level: Level): Status => statusByLevel[level];

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
  /** @internal Whether the check was not run for it: an earlier run hangs. */
  readonly notRun?: boolean;
  /** @internal Whether a heartbeat with it was announced, which also logs it. All copies have the same mark. */
  readonly mark: { announced: boolean };
}

export type VerdictOf = (check: string) => Required<Pick<CheckResult, 'scope' | 'evidence'>> | undefined;

export interface Judge {
  readonly failsFrom: Level;
  /** Who is affected by the failure of a check, if that is known. */
  readonly verdictOf: VerdictOf;
}

let runs = 0;

/** The result of a run, its level capped by the check's `maxLevel`. */
export function resultOf(
  { name, key, maxLevel }: { readonly name: string; readonly key: string; readonly maxLevel: Level },
  judge: Judge,
  duration: number,
  { level: highest, messages }: Findings,
  error?: unknown,
): CheckResult {
  const run = (runs += 1);
  const mark = { announced: false };
  const level = highest > maxLevel ? maxLevel : highest;
  const failed = level >= judge.failsFrom;
  const status = statusOf(level);
  const result = { name, key, level, status, failed, messages, duration, run, error, mark };
  if (level === 0) return result;
  const fault = messages.find((message) => message.fault !== undefined)?.fault;
  const verdict = failed ? judge.verdictOf(name) : undefined;
  return {
    ...result,
    ...(!failed && highest >= judge.failsFrom && { capped: true }),
    ...(fault && { fault }),
    ...(verdict && { scope: verdict.scope, evidence: verdict.evidence }),
  };
}

/** The messages of a check, as everything after it reads them: copied, scrubbed and frozen, because the check may change its own later. */
export interface Findings {
  readonly messages: readonly Finding[];
  /** The highest level of all messages, those that are not shown included. */
  readonly level: Level;
}

const noFindings: Findings = { messages: [], level: 0 };

/** The messages that a check returned. Throws if reading them throws. */
export function findingsOf(name: string, outcome: unknown, silenced: ReadonlySet<string>): Findings {
  if (outcome === undefined || outcome === null) return noFindings;
  const list: readonly unknown[] = Array.isArray(outcome) ? outcome : [outcome];
  if (list.length === 0) return noFindings;
  const wrong = list.findIndex((value) => !isWhole(value));
  if (wrong === -1) return collect(list.filter(isWhole), silenced);
  const kind = list === outcome ? `a list with ${typeName(list[wrong])} in it` : typeName(outcome);
  const text = `Check ${name} returned ${kind} instead of a list of check messages; return [] if nothing is wrong`;
  return findingsWith(new ErrorMessage(text, { id: messageIds.returnedOther }), silenced);
}

export const findingsWith = (message: CheckMessage, silenced: ReadonlySet<string>): Findings =>
  collect([message], silenced);

/** Whether a value is a message, and still is what its constructor made. */
function isWhole(value: unknown): value is CheckMessage {
  if (!isCheckMessage(value)) return false;
  const { level, text, id }: { level: unknown; text: unknown; id: unknown } = value;
  return isMessageLevel(level) && typeof text === 'string' && typeof id === 'string' && id !== '';
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (isCheckMessage(value)) return 'a message without a valid level, text or id';
  const name = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value;
  return `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name}`;
}

/** Messages shown of one check, and characters of all of them together: one that floods must not fill the log and the body of every probe. */
const maxMessages = 1000;
const maxTotalText = 256 * 1024;

function collect(returned: readonly CheckMessage[], silenced: ReadonlySet<string>): Findings {
  const messages: Finding[] = [];
  let level: Level = 0;
  let hidden = 0;
  let left = maxTotalText;
  for (const message of returned) {
    if (silenced.has(message.id)) continue;
    if (message.level > level) level = message.level;
    if (messages.length === maxMessages || left <= 0) {
      hidden += 1;
      continue;
    }
    const finding = findingOf(message);
    left -= JSON.stringify(finding).length;
    messages.push(finding);
  }
  if (hidden > 0) {
    const more = new Info(`${hidden} more messages from this check are not shown`, {
      id: messageIds.leftOut,
    });
    messages.push(findingOf(more));
  }
  return { messages: Object.freeze(messages), level };
}

/** A copy of a message for everything after the check. Types are checked once more: the check may have changed it. */
function findingOf({ level, text, id, hint, fields, fault }: CheckMessage): Finding {
  return Object.freeze({
    level,
    text: clean(text, maxTextLength),
    id: clean(id, maxNameLength),
    hint: typeof hint === 'string' ? clean(hint, maxTextLength) : undefined,
    ...(isObject(fields) && { fields: Object.freeze(scalarsOf(fields)) }),
    ...(isFault(fault) && { fault }),
  });
}
