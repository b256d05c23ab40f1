import { hintFor } from '../help.js';
import type { LogRecord } from '../log.js';
import { span } from '../span.js';
import { currentRequest } from '../request/request.js';
import { type Level, levels } from './levels.js';
import type { CheckResult } from './result.js';

type Log = (record: LogRecord) => void;

/** The lines that were logged of a check since it last passed. */
interface Known {
  /** The latest run that was seen. */
  run: number;
  /** On the clock of `performance.now()`. */
  loggedAt: number;
  /** Since when it has failed; undefined while its messages are only informative. */
  failsSince: number | undefined;
  /** The kinds of messages that were logged. */
  readonly kinds: Set<string>;
}

/** Kinds of messages of one check that are logged at once. A check whose text is new each time is then logged once in an interval, as others. */
const maxKinds = 10;
/** Messages and characters by which two kinds differ. */
const maxCompared = 20;
const maxComparedText = 200;

/**
 * The log of the checks of one Health, for every caller: the messages of a check when they begin or change, and again every `interval` while
 * they last, so that the log has the cause even if the body hides it; and a line when the check passes again.
 */
export class CheckLog {
  readonly #interval: number;
  /** By the name of the check: those with messages. */
  readonly #known = new Map<string, Known>();

  readonly #log: Log;

  constructor(interval: number, log: Log) {
    this.#interval = interval;
    this.#log = log;
  }

  /** Logs what these results have that is new. */
  write(level: Level, results: readonly CheckResult[]): void {
    if (level === 0 && this.#known.size === 0) return;
    const rid = currentRequest()?.id;
    for (const result of results) {
      const known = this.#known.get(result.name);
      const since = known?.failsSince;
      if (known !== undefined && !isFailure(result) && known.run < result.run) {
        if (since !== undefined) this.#log(passesAgain(result, performance.now() - since, rid));
        if (since !== undefined || result.messages.length === 0) this.#known.delete(result.name);
      }
      // Of a cached result, or a run that several waited for, the log has the messages already.
      if (result.messages.length === 0 || result.mark.logged) continue;
      result.mark.logged = true;
      const now = performance.now();
      if (this.#isDue(result, now)) {
        const lasted = since === undefined || !isFailure(result) ? 0 : now - since;
        for (const record of recordsOf(result, rid, lasted)) this.#log(record);
      }
    }
  }

  /** Whether the messages of a result are new, or due again. */
  #isDue(result: CheckResult, now: number): boolean {
    const { name, run } = result;
    const known = this.#known.get(name) ?? { run, loggedAt: now, failsSince: undefined, kinds: new Set() };
    this.#known.set(name, known);
    known.run = Math.max(known.run, run);
    if (isFailure(result)) known.failsSince ??= now;
    const kind = kindOf(result);
    const isNew = known.kinds.size < maxKinds && !known.kinds.has(kind);
    if (isNew) known.kinds.add(kind);
    else if (now - known.loggedAt < this.#interval) return false;
    known.loggedAt = now;
    return true;
  }
}

/** Whether the end of it is worth a line: also if its level is capped, or below `failLevel`. */
const isFailure = ({ failed, messages }: CheckResult) =>
  failed || messages.some(({ level }) => level >= levels.warning);

/** Equal for messages that differ only in their numbers: those grow while a failure lasts. */
const kindOf = ({ level, messages }: CheckResult) =>
  JSON.stringify([
    level,
    ...messages
      .slice(0, maxCompared)
      .map((each) => [each.level, each.id, each.text.slice(0, maxComparedText).replace(/\d+/g, '0')]),
  ]);

function passesAgain({ name }: CheckResult, lasted: number, rid: string | undefined): LogRecord {
  return {
    logger: 'health.checks',
    level: levels.info,
    time: Date.now(),
    fields: { check: name, ...(rid !== undefined && { rid }), lasted: Math.round(lasted) },
    msg: `Passes again after ${span(lasted)}`,
  };
}

function recordsOf(
  { name, level: worst, messages, error }: CheckResult,
  rid: string | undefined,
  lasted: number,
): readonly LogRecord[] {
  return messages.map(({ id, text, level, hint: given, fields }) => {
    const hint = hintFor(id, given);
    return {
      logger: 'health.checks',
      // A level that is capped in the report must not raise an alert through the log.
      level: worst !== 0 && worst < level ? worst : level,
      time: Date.now(),
      // Those of the message never replace ours.
      fields: {
        ...fields,
        check: name,
        ...(rid !== undefined && { rid }),
        ...(lasted > 0 && { lasted: Math.round(lasted) }),
        ...(hint !== undefined && { hint }),
      },
      msg: `${id}: ${text}`,
      error,
    };
  });
}
