// The health page as HTML: the document, the part of it that changes, and the sections of that.
import { type Answer, endpointPaths, json, text } from '../core/endpoints.js';
import type { Finding } from '../core/heartbeat/messages.js';
import { statusOf } from '../core/heartbeat/result.js';
import type { LoopBlock } from '../core/loop.js';
import { attempt, host } from '../core/runtime.js';
import type { Version } from '../core/version.js';
import { messageSections } from '../explain/messages.js';
import { type Block, type Piece, plainText, silencing } from '../explain/section.js';
import { script, style } from './assets.js';
import type { Change, CheckHistory, Transition } from './history.js';
import {
  age,
  ago,
  bar,
  clip,
  clock,
  count,
  foreign,
  glyphs,
  Html,
  markup,
  pill,
  type Slot,
  span,
} from './html.js';
import { dataOf } from './json.js';
import { type PageSource, type Process, type View, viewOf, worstFirst } from './view.js';

/** The forms of the page: the document, its data, and the part of the document that changes. */
export type Form = 'html' | 'json' | 'live';

/** The part of the document that changes from heartbeat to heartbeat: open pages ask for it. */
export interface LivePart {
  readonly title: string;
  readonly status: string;
  readonly icon: string;
  readonly markup: string;
}

const sha256 = (source: string) =>
  host.getBuiltinModule?.('node:crypto').createHash('sha256').update(source).digest('base64');

// A browser runs and loads only what this names.
const headers = {
  'Content-Security-Policy': `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'sha256-${sha256(script)}'; style-src 'sha256-${sha256(style)}'; img-src data:; connect-src 'self'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Renders the page as it is now. */
export async function render(form: Form, source: PageSource, details: boolean): Promise<Answer> {
  const view = await viewOf(source, details);
  if (form === 'html') return text(200, 'text/html; charset=utf-8', documentOf(view), headers);
  return json(200, form === 'json' ? dataOf(view) : JSON.stringify(livePart(view)));
}

// Not in the template: compilers that protect this tag rewrite the whole template with a helper of theirs.
const scriptEnd = new Html('</script>');

function documentOf(view: View): string {
  const part = livePart(view);
  return markup`<!doctype html>
<html lang="en" data-status="${part.status}"><head><meta charset="utf-8"><title>${part.title}</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex"><link rel="icon" href="${part.icon}">
<style>${new Html(style)}</style></head>
<body>${new Html(part.markup)}
<p id="said" role="status" class="unseen"></p>
<script>${new Html(script)}${scriptEnd}</body></html>
`.toString();
}

function livePart(view: View): LivePart {
  const { state, details } = view;
  const status = state?.status ?? 'unknown';
  // Relative links also work behind a proxy that serves the application under a prefix.
  const name = view.pagePath.slice(view.pagePath.lastIndexOf('/') + 1);
  return {
    title: `${glyphs[status]} ${status} · ${view.service}`,
    status,
    icon: icon(status),
    markup: markup`<div id="live" data-now="${view.now}" data-stale="${view.staleAt}">
${headline(view)}
<main>${details && checksSection(details.checks, view)}${details?.block && loopSection(details.block, view)}${changesSection(view)}${identitySection(view)}</main>
<footer><a href="${name}.json">JSON</a> <span>lifesign</span></footer></div>`.toString(),
  };
}

const iconColours: Readonly<Record<string, string>> = {
  warning: 'd98e04',
  error: 'c62828',
  critical: '7d1128',
  unknown: '7a828e',
};

function icon(status: string): string {
  const fill = iconColours[status] ?? '1a7f46';
  return `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%23${fill}'/%3E%3C/svg%3E`;
}

/** Failing checks that the top names. */
const maxCulprits = 3;
/** Milliseconds for which a failure that has ended is still shown. */
const showsRecovery = 3_600_000;

/** The top of the page: what is wrong, since when, where to look. */
function headline(view: View): Html {
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
  if (now - state.since > showsRecovery) return undefined;
  return markup`<span>before that <b>${previous.status}</b> for ${age(state.since - previous.since)}</span> `;
}

/** The last block of the event loop: how long, when, and where, with the stack to unfold. */
function loopSection(block: LoopBlock, view: View): Html {
  const { since, blockedFor, culprit, stack, noStack } = block;
  const where = culprit === undefined ? noStack && ` (${noStack})` : `, in ${culprit}`;
  return markup`<section aria-labelledby="loop">
<h2 id="loop">Event loop</h2>
<p>event loop: blocked ${span(blockedFor)}, ${ago(since + blockedFor, view)} ago${view.withTexts && where && foreign(where)}</p>
${view.withTexts && stack !== undefined && collapsed('Stack', stack)}
</section>`;
}

function collapsed(label: string, content: string): Html {
  return markup`<details><summary>${label}</summary>
<pre tabindex="0" role="region" aria-label="${label}">${foreign(content)}</pre></details>`;
}

/** Transitions shown, and changes of each. */
const maxTransitions = 12;
const maxChanges = 8;

/** The transitions with their causes, the latest first. */
function changesSection(view: View): Html {
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
<div><p>${step(from, to)}</p>${causes}${report !== undefined && collapsed('Report at that time', indented(report))}</div></li>
`;
}

function step(from: Transition['from'], to: Transition['to']): Html {
  if (from === undefined) return markup`first heartbeat: ${pill(to)}`;
  if (from === to) return markup`still ${pill(to)}`;
  return markup`${pill(from)} <span class="to" role="img" aria-label="to">→</span> ${pill(to)}`;
}

function cause({ name, to, messages }: Change, withTexts: boolean): Html {
  const text = gist(messages, withTexts, 300);
  return markup`<li><b>${foreign(name)}</b> ${to === 'ok' ? 'recovered' : to}${text && markup`: ${text}`}</li>`;
}

/** A report that was cut stays as it is. */
const indented = (report: string): string =>
  attempt(() => JSON.stringify(JSON.parse(report), undefined, 1)) ?? `${report}…`;

/** Characters shown of a value. */
const maxValueLength = 200;

/** Which build this is, and which process. */
function identitySection(view: View): Html {
  const { version, versionProblem, details } = view;
  const build =
    version === undefined
      ? markup`<p class="empty">${versionProblem ?? 'version.json not found'}</p>`
      : list(Object.keys(version).map((name) => [name, valueOf(name, version)]));
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

function valueOf(name: string, version: Version): Slot {
  const value = version[name];
  const text = clip(typeof value === 'string' ? value : JSON.stringify(value), maxValueLength);
  if (name === 'commit' && typeof value === 'string' && /^[0-9a-f]{7,64}$/i.test(value))
    return commitOf(value, version['source']);
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

/** The beginning of a commit says which one it is; the rest is a click or a pointer away. */
function commitOf(commit: string, source: unknown): Html {
  const base = link(source)?.replace(/(\.git)?\/?$/, '');
  const short = markup`<code title="${commit}">${commit.slice(0, 12)}</code>`;
  return base === undefined
    ? short
    : markup`<a href="${base}/commit/${commit}" rel="noreferrer">${short}</a>`;
}

/** Messages shown of one check, and characters of each. */
const maxMessages = 20;
const maxTextLength = 1000;

/** All checks, the worst first. */
function checksSection(checks: readonly CheckHistory[], view: View): Html {
  const failing = checks.filter(({ failed }) => failed).length;
  const passed = checks.length === 0 ? '' : count(checks.length, 'check');
  const tally = failing === 0 ? passed : `${failing} of ${checks.length} failing`;
  return markup`<section aria-labelledby="checks">
<h2 id="checks">Checks <small>${tally}</small></h2>
${checks.length === 0 ? noChecks(view) : table(checks, view)}
</section>`;
}

function noChecks({ state }: View): Html {
  if (state === undefined) return markup`<p class="empty">Checks are listed after the first heartbeat.</p>`;
  return markup`<p class="empty">No checks are registered: the heartbeat only shows that the process answers.
Add one with <code>health.check('name', fn)</code>.</p>`;
}

function table(checks: readonly CheckHistory[], view: View): Html {
  return markup`<table>
<thead><tr><th scope="col">Check</th><th scope="col">Last results</th><th scope="col" class="n">Took</th>
<th scope="col" class="n">p50</th><th scope="col" class="n">p99</th><th scope="col" class="n">In this state for</th></tr></thead>
${checks.map((check, index) => row(check, index, view))}
</table>`;
}

function row(check: CheckHistory, index: number, view: View): Html {
  const { name, status, failed, since, messages, results, verdict } = check;
  const grave = failed ? 'failing ' : '';
  // Evidence is in our own words: it holds nothing that `publicMessages` withholds.
  const whose =
    verdict !== undefined &&
    failed &&
    markup`<p class="hint"><b>${verdict.scope}</b>: ${foreign(verdict.evidence)}</p>`;
  const said =
    (messages.length > 0 || whose !== false) &&
    markup`<tr class="said"><td colspan="6">${whose}${messageList(messages, name, view.withTexts)}</td></tr>`;
  return markup`<tbody id="check-${index}" class="${grave}${status}"><tr>
<th scope="row"><div class="check">${pill(status)} <span class="name">${foreign(name)}</span></div></th><td class="results">
${bar(results)}
</td>${number('Took', span(check.duration))}${number('p50', span(check.p50))}${number('p99', span(check.p99))}<td class="n" data-label="In this state for">${ago(since, view)} <span class="at">since ${clock(since)}</span></td>
</tr>${said}</tbody>
`;
}

function number(label: string, value: string): Html {
  return markup`<td class="n" data-label="${label}">${value}</td>`;
}

/** The messages of a check, the worst first. */
function messageList(messages: readonly Finding[], check: string, withTexts: boolean): Html {
  const shown = worstFirst(messages).slice(0, maxMessages);
  const more = messages.length - shown.length;
  return markup`<ul class="messages">${shown.map((message) => item(message, check, withTexts))}${
    more > 0 && markup`<li>and ${count(more, 'more message')}</li>`
  }</ul>`;
}

function item({ id, text, hint, level }: Finding, check: string, withTexts: boolean): Html {
  const words = withTexts ? foreign(clip(text, maxTextLength)) : markup`<em>See the log for the text.</em>`;
  const help =
    withTexts &&
    hint !== undefined &&
    markup`<p class="hint" dir="auto"><b>What to do</b> ${foreign(clip(hint, maxTextLength))}</p>`;
  return markup`<li class="${statusOf(level)}"><p dir="auto">${words} <code>${foreign(clip(id, 200))}</code></p>${help}${explanation(id, check)}</li>`;
}

/** A check in one line: its worst message, or only its id if texts are withheld. */
function gist(messages: readonly Finding[], withTexts: boolean, maxLength: number): Html | undefined {
  const worst = worstFirst(messages)[0];
  return worst && foreign(clip(withTexts ? worst.text : worst.id, maxLength));
}

/** The documentation of one of our message ids, collapsed; nothing for other ids. */
function explanation(id: string, check: string): Html | undefined {
  const section = id.startsWith('health.') ? messageSections.find((each) => each.id === id) : undefined;
  if (section === undefined) return undefined;
  const blocks = [...section.blocks, silencing(id, check)].filter((block) => block !== undefined);
  return markup`<details class="explained"><summary>Explain ${id}</summary>${listed(blocks)}</details>`;
}

/** Items that follow each other are one list. */
function listed(blocks: readonly Block[]): readonly Slot[] {
  return blocks.map(({ kind, pieces }, index) => {
    if (kind === 'code') return markup`<pre>${plainText(pieces)}</pre>`;
    if (kind !== 'item') return markup`<p>${pieces.map(pieceOf)}</p>`;
    if (blocks[index - 1]?.kind === 'item') return undefined;
    const end = blocks.findIndex((block, at) => at > index && block.kind !== 'item');
    const items = blocks.slice(index, end === -1 ? undefined : end);
    return markup`<ul>${items.map((item) => markup`<li>${item.pieces.map(pieceOf)}</li>`)}</ul>`;
  });
}

function pieceOf(piece: Piece): Slot {
  if (typeof piece === 'string') return piece;
  const [kind, text] = piece;
  if (kind === 'code') return markup`<code>${text}</code>`;
  return kind === 'bold' ? markup`<b>${text}</b>` : text;
}
