// The parts of the page beside its checks: headline, event loop, changes, identity.
import { endpointPaths } from '../core/endpoints.js';
import type { LoopBlock } from '../core/loop.js';
import type { Version } from '../core/version.js';
import { gist } from './checks.js';
import { age, span } from './format.js';
import type { Change, CheckHistory, Transition } from './history.js';
import { ago, clip, clock, foreign, glyphs, type Html, markup, pill, type Slot } from './html.js';
import type { Process, View } from './view.js';

/** Failing checks that the top names. */
const maxCulprits = 3;
/** Milliseconds for which a failure that has ended is still shown. */
const memory = 3_600_000;

/** The top of the page: what is wrong, since when, where to look. */
export function headline(view: View): Html {
  const status = view.state?.status ?? 'unknown';
  const label = view.version?.['version'];
  return markup`<header class="${status}">
<p class="top"><b>${foreign(clip(view.service, 80))}</b>${
    typeof label === 'string' && markup` <span>${foreign(clip(label, 60))}</span>`
  } <span id="link"><noscript>reload to update</noscript></span></p>
<h1><i aria-hidden="true">${glyphs[status]}</i><span>${status === 'unknown' ? 'no heartbeat yet' : status}</span></h1>
<p class="sentence">${sentence(view)}</p>
${view.details && culprits(view.details.checks, view)}
<p class="facts">${facts(view)}</p>
</header>`;
}

function sentence({ state, details, pagePath }: View): Slot {
  if (state === undefined) return firstHeartbeat(pagePath);
  if (details === undefined) return state.level === 0 ? 'All is well' : 'Details are hidden from you';
  const { checks } = details;
  const failing = checks.filter(({ failed }) => failed).length;
  if (failing > 0 && checks.length === 1) return 'The only check is failing';
  if (failing > 0) return `${failing} of ${checks.length} checks ${failing === 1 ? 'is' : 'are'} failing`;
  if (checks.length === 0) return 'The process answers; no checks are registered';
  return checks.length === 1 ? 'The only check passes' : `All ${checks.length} checks pass`;
}

/** Relative, because a proxy may serve all paths below a prefix; in a new tab, so that this page shows the result. */
function firstHeartbeat(pagePath: string): Html {
  const up = '../'.repeat(pagePath.split('/').length - 2);
  return markup`<a href="${up}${endpointPaths.heartbeat.slice(1)}" target="_blank">Run the first heartbeat</a>`;
}

/** The worst of the failing checks, each with its message. */
function culprits(checks: readonly CheckHistory[], view: View): Html | undefined {
  const failing = checks.filter(({ failed }) => failed);
  if (failing.length === 0) return undefined;
  const items = failing.slice(0, maxCulprits).map(({ name, messages }, index) => {
    const text = gist(messages, view.withTexts, 200);
    return markup`<li><a href="#check-${index}">${foreign(clip(name, 120))}</a>${text && markup`: ${text}`}</li>`;
  });
  const more = failing.length - items.length;
  return markup`<ul class="culprits">${items}${more > 0 && markup`<li>and ${more} more</li>`}</ul>`;
}

function facts(view: View): readonly Slot[] {
  const { state, heartbeat } = view;
  const leaving =
    view.draining && markup`<span class="note"><b>draining</b>: this instance is shutting down</span>`;
  if (state === undefined || heartbeat === undefined) {
    return [
      markup`<span>This page shows the results of <code>${endpointPaths.heartbeat}</code> and runs no checks itself.</span>`,
      leaving,
    ];
  }
  return [
    markup`<span>for <b>${ago(state.since, view)}</b>, since ${clock(state.since)}</span> `,
    recovered(view),
    markup`<span>the heartbeat answers <b>${view.code}</b></span> `,
    // The script turns it to `stale` when the time has come.
    markup`<span id="beat"${view.stale && markup` class="stale"`}>last heartbeat ${ago(heartbeat, view)} ago</span> `,
    leaving,
  ];
}

function recovered({ state, previous, failed, now }: View): Html | undefined {
  if (state === undefined || previous?.failed !== true || failed) return undefined;
  if (now - state.since > memory) return undefined;
  return markup`<span>before that <b>${previous.status}</b> for ${age(state.since - previous.since)}</span> `;
}

/** The last block of the event loop: how long, when, and where, with the stack to unfold. */
export function loopRow(block: LoopBlock, view: View): Html {
  const { since, blockedFor, culprit, stack, noStack } = block;
  const where = culprit === undefined ? noStack && ` (${noStack})` : `, in ${culprit}`;
  return markup`<section aria-labelledby="loop">
<h2 id="loop">Event loop</h2>
<p>event loop: blocked ${span(blockedFor)}, ${ago(since + blockedFor, view)} ago${view.withTexts && where && foreign(where)}</p>
${view.withTexts && stack !== undefined && unfolded(stack)}
</section>`;
}

function unfolded(stack: string): Html {
  return markup`<details><summary>Stack</summary>
<pre tabindex="0" role="region" aria-label="Stack">${foreign(stack)}</pre></details>`;
}

/** Transitions shown, changes of each, and characters of a text. */
const maxTransitions = 12;
const maxChanges = 8;
const maxCauseLength = 300;

/** The transitions with their causes, the latest first. */
export function timeline(view: View): Html {
  const shown = view.transitions.slice(0, maxTransitions);
  const more = view.transitions.length - shown.length;
  return markup`<section aria-labelledby="changes">
<h2 id="changes">Changes</h2>
${shown.length === 0 && markup`<p class="empty">Nothing yet.</p>`}
<ol class="changes">${shown.map((transition) => entry(transition, view))}</ol>
${more > 0 && markup`<p class="empty">${more} more in the JSON.</p>`}
</section>`;
}

function entry({ beat, at, from, to, changes, report }: Transition, view: View): Html {
  const shown = changes.slice(0, maxChanges);
  const more = changes.length - shown.length;
  const causes =
    shown.length > 0 &&
    markup`<ul>${shown.map((change) => cause(change, view.withTexts))}${more > 0 && markup`<li>and ${more} more</li>`}</ul>`;
  return markup`<li id="change-${beat}"><p class="when">${clock(at)} <span>${ago(at, view)} ago</span></p>
<div><p>${step(from, to)}</p>${causes}${report !== undefined && evidence(report)}</div></li>
`;
}

function step(from: Transition['from'], to: Transition['to']): Html {
  if (from === undefined) return markup`first heartbeat: ${pill(to)}`;
  if (from === to) return markup`still ${pill(to)}`;
  return markup`${pill(from)} <span class="to" role="img" aria-label="to">→</span> ${pill(to)}`;
}

function cause({ name, to, messages }: Change, withTexts: boolean): Html {
  const text = gist(messages, withTexts, maxCauseLength);
  return markup`<li><b>${foreign(name)}</b> ${to === 'ok' ? 'recovered' : to}${text && markup`: ${text}`}</li>`;
}

function evidence(report: string): Html {
  return markup`<details><summary>Report at that time</summary>
<pre tabindex="0" role="region" aria-label="Report at that time">${foreign(indented(report))}</pre></details>`;
}

/** A report that was cut stays as it is. */
function indented(report: string): string {
  try {
    return JSON.stringify(JSON.parse(report), undefined, 1);
  } catch {
    return `${report}…`;
  }
}

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
