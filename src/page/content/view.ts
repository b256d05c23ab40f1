import type { CheckHistory, State, Transition } from '../history.js';
import { loop, type LoopBlock } from '../../core/loop.js';
import type { PageSource } from '../feature.js';
import { host, hostName } from '../../core/runtime.js';
import type { Version } from '../../core/version/version.js';
import type { VersionOutcome } from '../../core/version/outcome.js';
import { shownVersion } from './version.js';

/** Results a bar shows. */
export const barLength = 60;

/** Characters of a repository's address that are looked at for its name. */
const maxNameLength = 200;

/** After a minute without a heartbeat, or three times the usual pause, the page may be out of date. */
const staleAfter = 60_000;

/** The process that answers. */
export interface Process {
  readonly instance: string;
  readonly pid: number | undefined;
  readonly runtime: string;
  readonly started: number;
}

/** Everything that the page and its JSON show, at one moment. */
export interface View {
  readonly now: number;
  readonly service: string;
  /** Undefined before the first heartbeat. */
  readonly state: State | undefined;
  readonly previous: State | undefined;
  /** Whether the state fails the heartbeat, and the status code it answers with. */
  readonly failed: boolean;
  readonly code: number;
  readonly heartbeat: number | undefined;
  /** When all this is out of date unless a heartbeat comes, and whether it is already. */
  readonly staleAt: number | undefined;
  readonly stale: boolean;
  readonly draining: boolean;
  readonly version: Version | undefined;
  readonly versionProblem: string | undefined;
  readonly transitions: readonly Transition[];
  /** Undefined for callers that may not see details, as in the heartbeat. */
  readonly details:
    | {
        readonly checks: readonly CheckHistory[];
        readonly process: Process;
        /** The last block of the event loop, if a watchdog saw one. */
        readonly block: LoopBlock | undefined;
      }
    | undefined;
  readonly withTexts: boolean;
  readonly pagePath: string;
}

const born = Date.now();

/** Reads the current state. It runs no check and does nothing slow. */
export async function look(source: PageSource, details: boolean): Promise<View> {
  const { history, options } = source;
  const outcome = await source.version();
  const now = Date.now();
  const { state, previous, last, interval } = history;
  const failed = state?.failed === true;
  const version = versionOf(outcome);
  const staleAt = state && last + Math.max(staleAfter, 3 * interval);
  return {
    now,
    service: nameOf(options.loggerName, version),
    state,
    previous,
    failed,
    code: failed ? options.failedStatusCode : 200,
    heartbeat: state && last,
    staleAt,
    stale: staleAt !== undefined && now > staleAt,
    draining: source.draining(),
    version,
    versionProblem: outcome.kind === 'broken' ? outcome.sentence : undefined,
    transitions: details ? history.transitions : history.transitions.flatMap(withoutDetails),
    details: details
      ? { checks: worstFirst(history.checks), process: theProcess(), block: loop.last }
      : undefined,
    withTexts: options.publicMessages,
    pagePath: source.page.path,
  };
}

function versionOf(outcome: VersionOutcome): Version | undefined {
  return outcome.kind === 'found' ? shownVersion(outcome.json) : undefined;
}

/** The name in the logs if it was set, else that of the repository. */
function nameOf(loggerName: string, version: Version | undefined): string {
  if (loggerName !== 'lifesign') return loggerName;
  const source = version?.['source'];
  if (typeof source !== 'string') return 'This service';
  const [last] = source
    .slice(-maxNameLength)
    .replace(/(\.git)?\/?$/, '')
    .split(/[/:]/)
    .slice(-1);
  return last === undefined || last === '' ? 'This service' : last;
}

/** Without details: when the overall status changed, not why. */
function withoutDetails({ beat, at, from, to }: Transition): readonly Transition[] {
  return from === to ? [] : [{ beat, at, from, to, changes: [], report: undefined }];
}

function worstFirst(checks: readonly CheckHistory[]): readonly CheckHistory[] {
  return checks.toSorted((one, other) => other.level - one.level);
}

let known: Process | undefined;

/** Looked at once: none of it changes. */
function theProcess(): Process {
  known ??= {
    instance: hostName(),
    pid: host.pid,
    runtime: globalThis.navigator?.userAgent ?? `Node.js/${host.versions?.node ?? ''}`,
    started: host.uptime === undefined ? born : Math.round(Date.now() - host.uptime() * 1000),
  };
  return known;
}
