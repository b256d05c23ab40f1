import { type Answer, answerReport } from '../endpoints.js';
import type { Heartbeat } from './heartbeat.js';
import type { ResolvedOptions } from '../options/options.js';
import { currentRequest } from '../request/request.js';
import { catchRejection } from '../objects.js';
import type { CheckResult, Level, Status } from './result.js';
import { hintFor } from '../options/errors.js';
import type { LogRecord } from '../log.js';
import { span } from '../time.js';
import { type Fields, levels, type MessageLevel } from './messages.js';

/** The body of `/__heartbeat__`. */
export interface Report {
  readonly status: Status;
  readonly checks: Readonly<Record<string, Status>>;
  readonly details: Readonly<Record<string, ReportDetail>>;
}

/** The report's details of a check above level 0. */
export interface ReportDetail {
  readonly status: Status;
  readonly level: Level;
  readonly messages: Readonly<Record<string, string>>;
}

/**
 * The report as JSON. Written by hand because an object would not do: it sorts names like "10" to the front
 * and treats "__proto__" as no name at all, and the order here is the order of registration.
 */
export function reportBody(heartbeat: Heartbeat, withTexts = true): string {
  let checks = '';
  let details = '';
  for (const result of heartbeat.results) {
    const { key, status, level } = result;
    checks += `${checks === '' ? '' : ','}${key}:"${status}"`;
    if (level > 0) details += `${details === '' ? '' : ','}${key}:${detail(result, withTexts)}`;
  }
  return `{"status":"${heartbeat.status}","checks":{${checks}},"details":{${details}}}`;
}

/** The report as listeners of signals get it. Frozen, as several of them hold it. */
export const reportOf = (heartbeat: Heartbeat): Report =>
  JSON.parse(reportBody(heartbeat), (_key, value: unknown) => Object.freeze(value));

/** The placeholder for a text that only the log may have. */
const withheld = '"see the log"';

function detail({ status, level, messages }: CheckResult, withTexts: boolean): string {
  const keys = new Set<string>();
  const counts = new Map<string, number>();
  const entries = messages.map(({ id, text }) => {
    // Two messages with one id: neither may vanish.
    let key = id;
    let count = counts.get(id) ?? 1;
    while (keys.has(key)) {
      count += 1;
      key = `${id}#${count}`;
    }
    // The next number to try: from 2 each time, a flood of one id would take minutes.
    counts.set(id, count);
    keys.add(key);
    return `${JSON.stringify(key)}:${withTexts ? JSON.stringify(text) : withheld}`;
  });
  return `{"status":"${status}","level":${level},"messages":{${entries.join(',')}}}`;
}

export function answerHeartbeat(
  heartbeat: Heartbeat,
  details: boolean,
  { failedStatusCode, publicMessages }: Pick<ResolvedOptions, 'failedStatusCode' | 'publicMessages'>,
): Answer {
  const body = details ? reportBody(heartbeat, publicMessages) : `{"status":"${heartbeat.status}"}`;
  return answerReport(body, heartbeat.failed ? failedStatusCode : undefined);
}

export function detailsGate<Request>(
  details: ResolvedOptions<Request>['details'],
  onError: (msg: string, thrown?: unknown) => void,
): (request: Request) => boolean {
  if (typeof details === 'boolean') return () => details;
  let promiseReported = false;
  return (request) => {
    try {
      // A promise or another truthy value of an untyped caller must not open the details.
      const shown: unknown = details(request);
      // Logged once: clients must not be able to fill the log.
      if (catchRejection(shown, () => {}) && !promiseReported) {
        promiseReported = true;
        onError('The details option returned a promise instead of true or false; details are hidden');
      }
      return shown === true;
    } catch (thrown) {
      onError('The details option threw; details are hidden', thrown);
      return false;
    }
  };
}

/** The messages that were logged of a check since it last passed. */
interface Known {
  run: number;
  /** On the clock of `performance.now()`. */
  loggedAt: number;
  /** Since when it has failed; undefined while its messages are only informative. */
  failsSince: number | undefined;
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
  readonly #log: (record: LogRecord) => void;
  /** By the name of the check: those with messages. */
  readonly #known = new Map<string, Known>();

  constructor(interval: number, log: (record: LogRecord) => void) {
    this.#interval = interval;
    this.#log = log;
  }

  /** Logs the messages of these results that are new, or due again. */
  write(level: Level, results: readonly CheckResult[]): void {
    if (level === 0 && this.#known.size === 0) return;
    const now = performance.now();
    for (const result of results) {
      const known = this.#known.get(result.name);
      const failed = needsAttention(result);
      const since = known?.failsSince;
      const lasted = since === undefined ? 0 : now - since;
      if (known !== undefined && !failed && known.run < result.run) {
        const isOver = since !== undefined;
        if (isOver) this.#write(result, levels.info, `Passes again after ${span(lasted)}`, lasted);
        if (isOver || result.messages.length === 0) this.#known.delete(result.name);
      }
      // Of a result that another heartbeat had, the log has the messages already.
      if (result.messages.length === 0 || result.repeated === true || !this.#isDue(result, now)) continue;
      for (const { id, text, level: own, hint: given, fields } of result.messages) {
        const hint = hintFor(id, given);
        // A level that is capped in the report must not raise an alert through the log.
        const shown = result.level !== 0 && result.level < own ? result.level : own;
        this.#write(result, shown, `${id}: ${text}`, failed ? lasted : 0, fields, hint);
      }
    }
  }

  #isDue(result: CheckResult, now: number): boolean {
    const { name, run } = result;
    const known = this.#known.get(name) ?? { run, loggedAt: now, failsSince: undefined, kinds: new Set() };
    this.#known.set(name, known);
    known.run = Math.max(known.run, run);
    if (needsAttention(result)) known.failsSince ??= now;
    const kind = withoutNumbers(result);
    const isNew = known.kinds.size < maxKinds && !known.kinds.has(kind);
    if (isNew) known.kinds.add(kind);
    else if (now - known.loggedAt < this.#interval) return false;
    known.loggedAt = now;
    return true;
  }

  #write(
    { name, error }: CheckResult,
    level: MessageLevel,
    msg: string,
    lasted: number,
    more?: Fields,
    hint?: string,
  ): void {
    const rid = currentRequest()?.id;
    const fields = {
      // The message's never replace ours.
      ...more,
      check: name,
      ...(rid !== undefined && { rid }),
      ...(lasted > 0 && { lasted: Math.round(lasted) }),
      ...(hint !== undefined && { hint }),
    };
    this.#log({ logger: 'health.checks', level, time: Date.now(), fields, msg, error });
  }
}

/** Whether the end of it is worth a line: also if its level is capped, or below `failLevel`. */
const needsAttention = ({ failed, messages }: CheckResult) =>
  failed || messages.some(({ level }) => level >= levels.warning);

/** Equal for messages that differ only in their numbers: those grow while a failure lasts. */
const withoutNumbers = ({ level, messages }: CheckResult) =>
  JSON.stringify([
    level,
    ...messages
      .slice(0, maxCompared)
      .map((each) => [each.level, each.id, each.text.slice(0, maxComparedText).replace(/\d+/g, '0')]),
  ]);
