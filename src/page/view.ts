import type { FeatureHost } from '../core/feature.js';
import type { Finding } from '../core/heartbeat/messages.js';
import { statusOf } from '../core/heartbeat/result.js';
import { loop, type LoopBlock } from '../core/loop.js';
import type { ResolvedPage } from '../core/options/features.js';
import { host, hostName } from '../core/runtime.js';
import { clean, cut } from '../core/scrub/scrub.js';
import type { Version } from '../core/version.js';
import type { Change, CheckHistory, History, Transition, Verdict } from './history.js';
import { barLength } from './html.js';

/** After a minute without a heartbeat, or three times the usual pause, the page may be out of date. */
const staleAfter = 60_000;
/** Messages of each check, changes of each transition, and characters of each text. */
const maxMessages = 20;
const maxChanges = 50;
const maxTextLength = 1000;

/** The part of a Health that the health page reads. */
export interface PageSource extends Pick<FeatureHost<never>, 'version' | 'draining' | 'options'> {
  readonly history: History;
  readonly page: ResolvedPage;
}

export type View = Awaited<ReturnType<typeof buildView>>;
export type CheckData = ReturnType<typeof checkData>;
export type MessageData = ReturnType<typeof messageData>;
export type ChangeData = ReturnType<typeof changeData>;
export type TransitionData = View['data']['transitions'][number];
export type ProcessData = NonNullable<View['data']['process']>;
export type BlockData = NonNullable<View['data']['eventLoop']>;

/**
 * The current state, for the page. `data` is its JSON: times are ISO 8601, durations milliseconds, and `null` means unknown. It has nothing
 * that the caller may not see, and the page takes checks and messages only from it. It runs no check and does nothing slow.
 */
export async function buildView({ history, options, page, draining, version }: PageSource, details: boolean) {
  const outcome = await version();
  const now = Date.now();
  const { state, previous, last, interval, transitions } = history;
  const { loggerName, failedStatusCode, publicMessages: withTexts } = options;
  const shown = outcome.kind === 'found' ? shownVersion(outcome.json) : undefined;
  const staleAt = state && last + Math.max(staleAfter, 3 * interval);
  return {
    now,
    service: serviceName(loggerName, shown),
    pagePath: page.path,
    previous,
    staleAt,
    /** The status code of the heartbeat. */
    code: state?.failed === true ? failedStatusCode : 200,
    versionProblem: outcome.kind === 'broken' ? outcome.sentence : undefined,
    data: {
      status: state?.status ?? null,
      level: state?.level ?? null,
      failed: state?.failed ?? null,
      since: time(state?.since),
      heartbeat: time(state && last),
      stale: staleAt !== undefined && now > staleAt,
      draining: draining(),
      now: time(now),
      version: shown ?? null,
      ...(details && {
        process: thisProcess,
        checks: history.checks
          .toSorted((one, other) => other.last.level - one.last.level)
          .map((check) => checkData(check, history.verdictOf(check.last.name), withTexts)),
        ...(loop.last && { eventLoop: blockData(loop.last, withTexts) }),
      }),
      transitions: transitions
        .filter(({ from, to }) => details || from !== to)
        .map((transition) => transitionData(transition, details, withTexts)),
    },
  };
}

function checkData(check: CheckHistory, verdict: Verdict | undefined, withTexts: boolean) {
  const { name, status, level, failed, messages, duration } = check.last;
  const more = messages.length - maxMessages;
  return {
    name,
    status,
    level,
    failed,
    since: time(check.since),
    ...(verdict && { scope: verdict.scope, evidence: verdict.evidence }),
    messages: worstFirst(messages)
      .slice(0, maxMessages)
      .map((message) => messageData(message, withTexts)),
    ...(more > 0 && { moreMessages: more }),
    duration: round(duration),
    p50: round(check.percentile(0.5)),
    p99: round(check.percentile(0.99)),
    results: check.results.slice(-barLength),
  };
}

function messageData({ id, level, text, hint }: Finding, withTexts: boolean) {
  return {
    id,
    status: statusOf(level),
    level,
    ...(withTexts && {
      text: cut(text, maxTextLength),
      ...(hint !== undefined && { hint: cut(hint, maxTextLength) }),
    }),
  };
}

function blockData({ since, blockedFor, culprit, stack, noStack }: LoopBlock, withTexts: boolean) {
  return { since: time(since), blockedFor, ...(withTexts && { culprit, stack, noStack }) };
}

/** Without details: when the overall status changed, not why. */
function transitionData(transition: Transition, details: boolean, withTexts: boolean) {
  const { beat, at, from, to, changes, report } = transition;
  return {
    beat,
    at: time(at),
    from: from ?? null,
    to,
    ...(details && {
      changes: changes.slice(0, maxChanges).map((change) => changeData(change, withTexts)),
      report: report ?? null,
    }),
  };
}

function changeData({ name, from, to, messages }: Change, withTexts: boolean) {
  const shown = worstFirst(messages).map((message) => messageData(message, withTexts));
  return { name, from: from ?? null, to, messages: shown };
}

function worstFirst(all: readonly Finding[]): readonly Finding[] {
  return all.toSorted((one, other) => other.level - one.level);
}

function time(at: number): string;
function time(at: number | undefined): string | null;
function time(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

const round = (ms: number) => Math.round(ms * 100) / 100;

const thisProcess = {
  instance: hostName(),
  pid: host.pid,
  runtime: globalThis.navigator?.userAgent ?? `Node.js/${host.versions?.node ?? ''}`,
  started: time(Math.round(Date.now() - (host.uptime?.() ?? 0) * 1000)),
};

/** The name in the logs if it was set, else the repository's. */
function serviceName(loggerName: string, version: Version | undefined): string {
  if (loggerName !== 'lifesign') return loggerName;
  const source = version?.['source'];
  const path = typeof source === 'string' ? source.replace(/(\.git)?\/?$/, '') : '';
  return path.split(/[/:]/).at(-1) || 'This service';
}

/** Fields of a version that are shown, and characters of a name, an address and another value. */
const maxFields = 20;
const maxNameLength = 200;
const maxValueLength = 2000;

/** Shown before the other fields. */
const contractFields = ['version', 'commit', 'build', 'source'];

/** A version as the page shows it: bounded, and without secrets. `/__version__` serves it as it is. */
function shownVersion(json: string): Version {
  const all: Version = JSON.parse(json);
  const names = new Set([...contractFields.filter((name) => Object.hasOwn(all, name)), ...Object.keys(all)]);
  const fields = [...names].slice(0, maxFields);
  return Object.fromEntries(fields.map((name) => [clean(name, maxNameLength), shownValue(all[name])]));
}

function shownValue(value: unknown): unknown {
  if (typeof value === 'string') return clean(value, maxValueLength);
  return typeof value === 'object' && value !== null ? clean(JSON.stringify(value), maxNameLength) : value;
}
