import type { CheckHistory } from '../history.js';
import { endpointPaths } from '../../core/endpoints.js';
import { gist } from './checks.js';
import { age } from './format.js';
import { clip, type Html, markup, type Slot } from './html.js';
import { ago, clock, foreign, glyphs } from './pieces.js';
import type { View } from './view.js';

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
