import { clip } from './html.js';
import type { CheckHistory, History, State, Transition } from './history.js';
import { loop, type LoopBlock } from '../core/loop.js';
import type { FeatureHost } from '../core/feature.js';
import type { ResolvedPage } from '../core/options/features.js';
import { host, hostName } from '../core/runtime.js';
import type { Version, VersionOutcome } from '../core/version.js';
import { isObject } from '../core/objects.js';
import { scrub } from '../core/scrub/scrub.js';

/** Characters of a repository's address that are looked at for its name. */
const maxAddressLength = 200;

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
export interface PageSource extends Pick<FeatureHost<never>, 'version' | 'draining'> {
  readonly history: History;
  readonly options: Pick<FeatureHost<never>['options'], 'failedStatusCode' | 'loggerName' | 'publicMessages'>;
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

const born = Date.now();

/** Reads the current state. It runs no check and does nothing slow. */
export async function viewOf(source: PageSource, details: boolean): Promise<View> {
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
    .slice(-maxAddressLength)
    .replace(/(\.git)?\/?$/, '')
    .split(/[/:]/)
    .slice(-1);
  return last === undefined || last === '' ? 'This service' : last;
}

/** Without details: when the overall status changed, not why. */
function withoutDetails({ beat, at, from, to }: Transition): readonly Transition[] {
  return from === to ? [] : [{ beat, at, from, to, changes: [], report: undefined }];
}

/** Checks, or messages of one. */
export function worstFirst<T extends { readonly level: number }>(all: readonly T[]): readonly T[] {
  return all.toSorted((one, other) => other.level - one.level);
}

let known: Process | undefined;

/** Read once: none of it changes. */
function theProcess(): Process {
  known ??= {
    instance: hostName(),
    pid: host.pid,
    runtime: globalThis.navigator?.userAgent ?? `Node.js/${host.versions?.node ?? ''}`,
    started: host.uptime === undefined ? born : Math.round(Date.now() - host.uptime() * 1000),
  };
  return known;
}

/** Limits of a version that is shown: levels, values in all, values of one object, characters. */
const deepest = 5;
const maxValues = 500;
const maxWidth = 100;
const maxTextLength = 2000;
const maxNameLength = 200;

/** The last one, with its JSON as the key: it rarely changes, and each rendering needs it. */
let last: { readonly json: string; readonly version: Version } | undefined;

/**
 * A version as the page shows it: bounded, without secrets, and addresses without user, query and fragment, which may
 * have tokens. `/__version__` serves it as it is.
 */
function shownVersion(json: string): Version {
  if (last?.json !== json) last = { json, version: new Reading().version(JSON.parse(json)) };
  return last.version;
}

class Reading {
  #left = maxValues;

  version(value: unknown): Version {
    const version = this.#object(isObject(value) ? value : {}, deepest);
    for (const name of ['source', 'build']) {
      const text = version[name];
      // Also if it is not an address: the short form that git has for one.
      if (typeof text === 'string') version[name] = text.replace(/[?#].*/s, '');
    }
    return version;
  }

  #value(value: unknown, depth: number): unknown {
    this.#left -= 1;
    if (typeof value === 'string') return shownText(value);
    if (!isObject(value)) return value;
    if (depth === 0) return '…';
    if (!Array.isArray(value)) return this.#object(value, depth);
    const items: unknown[] = value.slice(0, Math.max(0, Math.min(maxWidth, this.#left)));
    return items.map((item) => this.#value(item, depth - 1));
  }

  #object(value: object, depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (const name in value) {
      if (entries.length === maxWidth || this.#left <= 0) break;
      if (!Object.hasOwn(value, name)) continue;
      entries.push([scrub(clip(name, maxNameLength)), this.#value(Reflect.get(value, name), depth - 1)]);
    }
    return Object.fromEntries(entries);
  }
}

/**
 * An address as browsers take it: its scheme, a user, and all up to a query or a fragment. To them `https:user@host`
 * and `https:\\user@host` are addresses too.
 */
const address = /^[\0- ]*(https?:[\\/]*|[a-z][a-z\d+.-]*:\/\/)(?:[^/?#\\]*@)?([^?#]*)/i;

function shownText(text: string): string {
  const kept = clip(text, maxTextLength);
  // Line breaks and tabs do not matter in them either.
  const [, scheme, rest] = address.exec(kept.replace(/[\t\n\r]/g, '')) ?? [];
  return scrub(scheme === undefined ? kept : `${scheme}${rest}`);
}
