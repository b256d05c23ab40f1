import type { FeatureHost } from '../core/feature.js';
import { loop, type LoopBlock } from '../core/loop.js';
import type { ResolvedPage } from '../core/options/features.js';
import { host, hostName } from '../core/runtime.js';
import { clean } from '../core/scrub/scrub.js';
import type { Version } from '../core/version.js';
import type { CheckHistory, History, State, Transition } from './history.js';
import { clip } from './html.js';

/** After a minute without a heartbeat, or three times the usual pause, the page may be out of date. */
const staleAfter = 60_000;

/** The process that answers. */
export interface Process {
  readonly instance: string;
  readonly pid: number | undefined;
  readonly runtime: string;
  readonly started: number;
}

/** The part of a Health that the health page reads. */
export interface PageSource extends Pick<FeatureHost<never>, 'version' | 'draining' | 'options'> {
  readonly history: History;
  readonly page: ResolvedPage;
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

/** Reads the current state. It runs no check and does nothing slow. */
export async function viewOf(source: PageSource, details: boolean): Promise<View> {
  const { history, options, page, draining } = source;
  const outcome = await source.version();
  const now = Date.now();
  const { state, previous, last, interval, transitions } = history;
  const failed = state?.failed === true;
  const version = outcome.kind === 'found' ? shownVersion(outcome.json) : undefined;
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
    draining: draining(),
    version,
    versionProblem: outcome.kind === 'broken' ? outcome.sentence : undefined,
    transitions: details ? transitions : transitions.flatMap(withoutDetails),
    details: details
      ? { checks: worstFirst(history.checks), process: thisProcess, block: loop.last }
      : undefined,
    withTexts: options.publicMessages,
    pagePath: page.path,
  };
}

/** The name in the logs if it was set, else that of the repository. */
function nameOf(loggerName: string, version: Version | undefined): string {
  if (loggerName !== 'lifesign') return loggerName;
  const { source }: { source?: unknown } = version ?? {};
  const name =
    typeof source === 'string'
      ? source
          .replace(/(\.git)?\/?$/, '')
          .split(/[/:]/)
          .at(-1)
      : '';
  return name || 'This service';
}

/** Without details: when the overall status changed, not why. */
function withoutDetails({ beat, at, from, to }: Transition): readonly Transition[] {
  return from === to ? [] : [{ beat, at, from, to, changes: [], report: undefined }];
}

/** Checks, or messages of one. */
export function worstFirst<T extends { readonly level: number }>(all: readonly T[]): readonly T[] {
  return all.toSorted((one, other) => other.level - one.level);
}

const thisProcess: Process = {
  instance: hostName(),
  pid: host.pid,
  runtime: globalThis.navigator?.userAgent ?? `Node.js/${host.versions?.node ?? ''}`,
  started: Math.round(Date.now() - (host.uptime?.() ?? 0) * 1000),
};

/** Fields of a version that are shown, and characters of a name and a value. */
const maxFields = 20;
const maxNameLength = 200;
const maxTextLength = 2000;

/** Shown before the other fields. */
const contractFields = ['version', 'commit', 'build', 'source'];

/** The last one, by its JSON: it rarely changes, and each rendering needs it. */
let last: { readonly json: string; readonly version: Version } | undefined;

/**
 * A version as the page shows it: bounded, without secrets, and addresses without user, query and fragment, which may
 * have tokens. `/__version__` serves it as it is.
 */
function shownVersion(given: string): Version {
  if (last?.json === given) return last.version;
  const all: Version = JSON.parse(given);
  const names = new Set([...contractFields.filter((name) => Object.hasOwn(all, name)), ...Object.keys(all)]);
  const version = Object.fromEntries(
    [...names].slice(0, maxFields).map((name) => [clean(name, maxNameLength), shownValue(name, all[name])]),
  );
  last = { json: given, version };
  return version;
}

function shownValue(name: string, value: unknown): unknown {
  if (typeof value === 'string') {
    const shown = shownText(value);
    // Also if it is not an address: the short form that git has for one.
    return name === 'source' || name === 'build' ? shown.replace(/[?#].*/s, '') : shown;
  }
  if (typeof value !== 'object' || value === null) return value;
  return clean(JSON.stringify(value, shownNested), maxNameLength);
}

const shownNested = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? shownText(value) : value;

/**
 * An address as browsers take it: its scheme, a user, and all up to a query or a fragment. To them `https:user@host`
 * and `https:\\user@host` are addresses too.
 */
const address = /^[\0- ]*(https?:[\\/]*|[a-z][a-z\d+.-]*:\/\/)(?:[^/?#\\]*@)?([^?#]*)/i;

function shownText(value: string): string {
  const kept = clip(value, maxTextLength);
  // Line breaks and tabs do not matter in them either.
  const [, scheme, rest] = address.exec(kept.replace(/[\t\n\r]/g, '')) ?? [];
  return clean(scheme === undefined ? kept : `${scheme}${rest}`, maxTextLength + 1);
}
