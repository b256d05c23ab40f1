// The health page as HTML: the document, the part of it that changes, and the sections of that.
import { endpointPaths } from '../core/endpoints.js';
import { attempt, host } from '../core/runtime.js';
import { cut } from '../core/scrub/scrub.js';
import { repositoryAddress, type Version, webAddress } from '../core/version.js';
import { messageSections } from '../explain/messages.js';
import { type Block, type Piece, plainText, silencing } from '../explain/section.js';
import { script, style } from './assets.js';
import { age, ago, bar, clock, count, foreign, glyphs, Html, markup, pill, type Slot, span } from './html.js';
import type {
  BlockData,
  ChangeData,
  CheckData,
  MessageData,
  ProcessData,
  TransitionData,
  View,
} from './view.js';

const sha256 = (source: string) =>
  host.getBuiltinModule?.('node:crypto').createHash('sha256').update(source).digest('base64');

/** Browsers run and load only what this policy names. */
export const headers = {
  'Content-Security-Policy': `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'sha256-${sha256(script)}'; style-src 'sha256-${sha256(style)}'; img-src data:; connect-src 'self'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

// Not in the template: bundlers escape this tag there, and rewrite the whole template for it.
const scriptEnd = new Html('</script>');

/** The page. Its script fetches it every few seconds, and updates the title, the icon and the part with the id `live`. */
export function renderDocument(view: View): string {
  const { data, now, service, staleAt, pagePath } = view;
  const status = data.status ?? 'unknown';
  // Relative links also work behind a proxy that serves the application under a prefix.
  const name = pagePath.slice(pagePath.lastIndexOf('/') + 1);
  return markup`<!doctype html>
<html lang="en" data-status="${status}"><head><meta charset="utf-8"><title>${glyphs[status]} ${status} · ${service}</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex"><link rel="icon" href="${icon(status)}">
<style>${new Html(style)}</style></head>
<body><div id="live" data-now="${now}" data-stale="${staleAt}">
${headline(view)}
<main>${data.checks && checksSection(data.checks, view)}${data.eventLoop && loopSection(data.eventLoop, now)}${changesSection(view)}${identitySection(view)}</main>
<footer><a href="${name}.json">JSON</a> <span>lifesign</span></footer></div>
<p id="said" role="status" class="unseen"></p>
<script>${new Html(script)}${scriptEnd}</body></html>
`.toString();
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
  const { status, version, checks } = view.data;
  const label = version?.['version'];
  const word = status ?? 'unknown';
  return markup`<header class="${word}">
<p class="top"><b>${foreign(cut(view.service, 80))}</b>${
    typeof label === 'string' && markup` <span>${foreign(cut(label, 60))}</span>`
  } <span id="link"><noscript>reload to update</noscript></span></p>
<h1><i aria-hidden="true">${glyphs[word]}</i><span>${status ?? 'no heartbeat yet'}</span></h1>
<p class="sentence">${sentence(view)}</p>
${checks && culprits(checks)}
<p class="facts">${facts(view)}</p>
</header>`;
}

function sentence({ data: { status, checks }, pagePath }: View): Slot {
  if (status === null) return firstHeartbeat(pagePath);
  if (checks === undefined) return status === 'ok' ? 'All is well' : 'Details are hidden from you';
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
function culprits(checks: readonly CheckData[]): Html | undefined {
  const failing = checks.filter(({ failed }) => failed);
  if (failing.length === 0) return undefined;
  const items = failing.slice(0, maxCulprits).map(({ name, messages }, index) => {
    const text = gist(messages, 200);
    return markup`<li><a href="#check-${index}">${foreign(cut(name, 120))}</a>${text && markup`: ${text}`}</li>`;
  });
  const more = failing.length - items.length;
  return markup`<ul class="culprits">${items}${more > 0 && markup`<li>and ${more} more</li>`}</ul>`;
}

function facts(view: View): readonly Slot[] {
  const { now, code, data } = view;
  const { since, heartbeat, stale, draining } = data;
  const leaving =
    draining && markup`<span class="note"><b>draining</b>: this instance is shutting down</span>`;
  if (since === null || heartbeat === null) {
    return [
      markup`<span>This page shows the results of <code>${endpointPaths.heartbeat}</code> and runs no checks itself.</span>`,
      leaving,
    ];
  }
  return [
    markup`<span>for <b>${ago(since, now)}</b>, since ${clock(since)}</span> `,
    recovered(view, Date.parse(since)),
    markup`<span>the heartbeat answers <b>${code}</b></span> `,
    // The script turns it to `stale` when the time has come.
    markup`<span id="beat"${stale && markup` class="stale"`}>last heartbeat ${ago(heartbeat, now)} ago</span> `,
    leaving,
  ];
}

function recovered({ previous, data, now }: View, since: number): Html | undefined {
  if (previous?.failed !== true || data.failed === true || now - since > showsRecovery) return undefined;
  return markup`<span>before that <b>${previous.status}</b> for ${age(since - previous.since)}</span> `;
}

/** The last block of the event loop: how long, when, and where, with the stack to unfold. */
function loopSection({ since, blockedFor, culprit, stack, noStack }: BlockData, now: number): Html {
  const where = culprit === undefined ? noStack && ` (${noStack})` : `, in ${culprit}`;
  return markup`<section aria-labelledby="loop">
<h2 id="loop">Event loop</h2>
<p>event loop: blocked ${span(blockedFor)}, ${ago(Date.parse(since) + blockedFor, now)} ago${where && foreign(where)}</p>
${stack !== undefined && collapsed('Stack', stack)}
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
function changesSection({ data: { transitions }, now }: View): Html {
  const shown = transitions.slice(0, maxTransitions);
  const more = transitions.length - shown.length;
  return markup`<section aria-labelledby="changes">
<h2 id="changes">Changes</h2>
${shown.length === 0 && markup`<p class="empty">Nothing yet.</p>`}
<ol class="changes">${shown.map((transition) => entry(transition, now))}</ol>
${more > 0 && markup`<p class="empty">${more} more in the JSON.</p>`}
</section>`;
}

function entry({ beat, at, from, to, changes = [], report }: TransitionData, now: number): Html {
  const shown = changes.slice(0, maxChanges);
  const more = changes.length - shown.length;
  const causes =
    shown.length > 0 && markup`<ul>${shown.map(cause)}${more > 0 && markup`<li>and ${more} more</li>`}</ul>`;
  return markup`<li id="change-${beat}"><p class="when">${clock(at)} <span>${ago(at, now)} ago</span></p>
<div><p>${step(from, to)}</p>${causes}${report ? collapsed('Report at that time', indented(report)) : undefined}</div></li>
`;
}

function step(from: TransitionData['from'], to: TransitionData['to']): Html {
  if (from === null) return markup`first heartbeat: ${pill(to)}`;
  if (from === to) return markup`still ${pill(to)}`;
  return markup`${pill(from)} <span class="to" role="img" aria-label="to">→</span> ${pill(to)}`;
}

function cause({ name, to, messages }: ChangeData): Html {
  const text = gist(messages, 300);
  return markup`<li><b>${foreign(name)}</b> ${to === 'ok' ? 'recovered' : to}${text && markup`: ${text}`}</li>`;
}

/** A report that was cut is no JSON and is shown as it is. */
const indented = (report: string): string =>
  attempt(() => JSON.stringify(JSON.parse(report), undefined, 1)) ?? `${report}…`;

const maxValueLength = 200;

function identitySection(view: View): Html {
  const { version, process } = view.data;
  const build =
    version === null
      ? markup`<p class="empty">${view.versionProblem ?? 'version.json not found'}</p>`
      : list(Object.keys(version).map((name) => [name, fieldValue(name, version)]));
  const running =
    process &&
    markup`<section aria-labelledby="process"><h2 id="process">Process</h2>${list(processEntries(process, view))}</section>`;
  return markup`<div class="identity"><section aria-labelledby="build"><h2 id="build">Build</h2>${build}</section>${running}</div>`;
}

type Entry = readonly [string, Slot];

function list(entries: readonly Entry[]): Html {
  const item = ([name, value]: Entry) =>
    markup`<div><dt>${foreign(cut(name, 60))}</dt><dd>${value}</dd></div>`;
  return markup`<dl>${entries.map(item)}</dl>`;
}

function processEntries(
  { instance, pid, runtime, started }: ProcessData,
  { data, now }: View,
): readonly Entry[] {
  return [
    ['instance', foreign(instance)],
    ['pid', pid],
    ['up for', markup`${ago(started, now)}, since ${clock(started)}`],
    ['runtime', foreign(runtime)],
    ['traffic', data.draining ? 'draining' : 'accepted'],
  ];
}

function fieldValue(name: string, version: Version): Slot {
  const value = version[name];
  const text = cut(typeof value === 'string' ? value : JSON.stringify(value), maxValueLength);
  if (name === 'commit' && typeof value === 'string' && /^[0-9a-f]{7,64}$/i.test(value))
    return commitLink(value, version['source']);
  // A shortened address leads nowhere.
  const target = text.endsWith('…') ? undefined : webAddress(value);
  if (target === undefined) return foreign(text);
  return markup`<a href="${target}" rel="noreferrer">${foreign(text.replace(/^https?:\/\//, ''))}</a>`;
}

/** The beginning of a commit; the title has all of it. */
function commitLink(commit: string, source: unknown): Html {
  const base = repositoryAddress(source);
  const short = markup`<code title="${commit}">${commit.slice(0, 12)}</code>`;
  return base === undefined
    ? short
    : markup`<a href="${base}/commit/${commit}" rel="noreferrer">${short}</a>`;
}

/** All checks, the worst first. */
function checksSection(checks: readonly CheckData[], { data, now }: View): Html {
  const failing = checks.filter(({ failed }) => failed).length;
  const passed = checks.length === 0 ? '' : count(checks.length, 'check');
  const tally = failing === 0 ? passed : `${failing} of ${checks.length} failing`;
  return markup`<section aria-labelledby="checks">
<h2 id="checks">Checks <small>${tally}</small></h2>
${checks.length === 0 ? noChecks(data.status !== null) : table(checks, now)}
</section>`;
}

function noChecks(haveRun: boolean): Html {
  if (!haveRun) return markup`<p class="empty">Checks are listed after the first heartbeat.</p>`;
  return markup`<p class="empty">No checks are registered: the heartbeat only shows that the process answers.
Add one with <code>health.check('name', fn)</code>.</p>`;
}

function table(checks: readonly CheckData[], now: number): Html {
  return markup`<table>
<thead><tr><th scope="col">Check</th><th scope="col">Last results</th><th scope="col" class="n">Took</th>
<th scope="col" class="n">p50</th><th scope="col" class="n">p99</th><th scope="col" class="n">In this state for</th></tr></thead>
${checks.map((check, index) => row(check, index, now))}
</table>`;
}

function row(check: CheckData, index: number, now: number): Html {
  const { name, status, failed, since, messages, results, scope, evidence } = check;
  const scopeLine =
    failed && evidence !== undefined && markup`<p class="hint"><b>${scope}</b>: ${foreign(evidence)}</p>`;
  const details =
    (messages.length > 0 || scopeLine !== false) &&
    markup`<tr class="said"><td colspan="6">${scopeLine}${messageList(check)}</td></tr>`;
  return markup`<tbody id="check-${index}" class="${failed && 'failing '}${status}"><tr>
<th scope="row"><div class="check">${pill(status)} <span class="name">${foreign(name)}</span></div></th><td class="results">
${bar(results)}
</td>${number('Took', span(check.duration))}${number('p50', span(check.p50))}${number('p99', span(check.p99))}<td class="n" data-label="In this state for">${ago(since, now)} <span class="at">since ${clock(since)}</span></td>
</tr>${details}</tbody>
`;
}

function number(label: string, value: string): Html {
  return markup`<td class="n" data-label="${label}">${value}</td>`;
}

function messageList({ name, messages, moreMessages = 0 }: CheckData): Html {
  const more = moreMessages > 0 && markup`<li>and ${count(moreMessages, 'more message')}</li>`;
  return markup`<ul class="messages">${messages.map((message) => item(message, name))}${more}</ul>`;
}

function item({ id, text, hint, status }: MessageData, check: string): Html {
  const words = text === undefined ? markup`<em>See the log for the text.</em>` : foreign(text);
  const help =
    hint !== undefined && markup`<p class="hint" dir="auto"><b>What to do</b> ${foreign(hint)}</p>`;
  return markup`<li class="${status}"><p dir="auto">${words} <code>${foreign(cut(id, 200))}</code></p>${help}${explanation(id, check)}</li>`;
}

/** A check in one line: its worst message, or only its id if texts are withheld. */
function gist([worst]: readonly MessageData[], maxLength: number): Html | undefined {
  return worst && foreign(cut(worst.text ?? worst.id, maxLength));
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
    if (kind !== 'item') return markup`<p>${pieces.map(renderPiece)}</p>`;
    if (blocks[index - 1]?.kind === 'item') return undefined;
    const end = blocks.findIndex((block, at) => at > index && block.kind !== 'item');
    const items = blocks.slice(index, end === -1 ? undefined : end);
    return markup`<ul>${items.map((item) => markup`<li>${item.pieces.map(renderPiece)}</li>`)}</ul>`;
  });
}

function renderPiece(piece: Piece): Slot {
  if (typeof piece === 'string') return piece;
  const [kind, text] = piece;
  if (kind === 'code') return markup`<code>${text}</code>`;
  return kind === 'bold' ? markup`<b>${text}</b>` : text;
}
