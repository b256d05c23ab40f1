import { type Findings, noFindings } from './findings.js';
import { type Fault, type Finding, type Level, type Status, statusOf } from './messages.js';

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
