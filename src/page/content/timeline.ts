import type { Change, Transition } from '../history.js';
import { gist } from './checks.js';
import { type Html, markup } from './html.js';
import { ago, clock, foreign, pill } from './pieces.js';
import type { View } from './view.js';

/** Transitions shown, changes of each, and characters of a text. */
const maxTransitions = 12;
const maxChanges = 8;
const maxTextLength = 300;

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
  const text = gist(messages, withTexts, maxTextLength);
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
