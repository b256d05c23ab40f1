import type { Version } from '../../core/version/version.js';
import { clip, type Html, markup, type Slot } from './html.js';
import { ago, clock, foreign } from './pieces.js';
import type { Process, View } from './view.js';

/** Characters shown of a value. */
const maxValueLength = 200;
const maxFields = 20;

/** Which build this is, and which process. */
export function identity(view: View): Html {
  const { version, versionProblem, details } = view;
  const build =
    version === undefined
      ? markup`<p class="empty">${versionProblem ?? 'version.json not found'}</p>`
      : list(buildOf(version));
  const process =
    details !== undefined &&
    markup`<section aria-labelledby="process"><h2 id="process">Process</h2>${list(processOf(details.process, view))}</section>`;
  return markup`<div class="identity"><section aria-labelledby="build"><h2 id="build">Build</h2>${build}</section>${process}</div>`;
}

type Entry = readonly [string, Slot];

function list(entries: readonly Entry[]): Html {
  const item = ([name, value]: Entry) =>
    markup`<div><dt>${foreign(clip(name, 60))}</dt><dd>${value}</dd></div>`;
  return markup`<dl>${entries.map(item)}</dl>`;
}

function processOf({ instance, pid, runtime, started }: Process, view: View): readonly Entry[] {
  return [
    ['instance', foreign(instance)],
    ['pid', pid],
    ['up for', markup`${ago(started, view)}, since ${clock(started)}`],
    ['runtime', foreign(runtime)],
    ['traffic', view.draining ? 'draining' : 'accepted'],
  ];
}

/** Fields of the contract first, then the others as they came. */
const order = ['version', 'commit', 'build', 'source'];

function buildOf(version: Version): readonly Entry[] {
  const names = Object.keys(version);
  const rest = names.filter((name) => !order.includes(name));
  const sorted = [...order.filter((name) => names.includes(name)), ...rest];
  return sorted.slice(0, maxFields).map((name) => [name, valueOf(name, version)]);
}

function valueOf(name: string, version: Version): Slot {
  const value = version[name];
  const text = clip(typeof value === 'string' ? value : JSON.stringify(value), maxValueLength);
  if (name === 'commit' && isCommit(value)) return commitOf(value, version['source']);
  const target = link(value);
  if (target === undefined) return foreign(text);
  return markup`<a href="${target}" rel="noreferrer">${foreign(text.replace(/^https?:\/\//, ''))}</a>`;
}

/** A value that may be a link: http and https only. Users, queries and fragments are removed already; a shortened one is not linked. */
function link(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.endsWith('…') || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  return url.href;
}

function isCommit(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{7,64}$/i.test(value);
}

/** The beginning of a commit says which one it is; the rest is a click or a pointer away. */
function commitOf(commit: string, source: unknown): Html {
  const base = link(source)?.replace(/(\.git)?\/?$/, '');
  const short = markup`<code title="${commit}">${commit.slice(0, 12)}</code>`;
  return base === undefined
    ? short
    : markup`<a href="${base}/commit/${commit}" rel="noreferrer">${short}</a>`;
}
