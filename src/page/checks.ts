import type { CheckHistory } from './history.js';
import { type Finding } from '../core/heartbeat/messages.js';
import { statusOf } from '../core/heartbeat/result.js';
import { messageSections } from '../explain/messages.js';
import { type Block, type Piece, plainText, silencing } from '../explain/section.js';
import { count, span } from './format.js';
import { ago, bar, clip, clock, foreign, type Html, markup, pill, type Slot } from './html.js';
import { type View, worstFirst } from './view.js';

/** Messages shown of one check, and characters of each. */
const maxMessages = 20;
const maxTextLength = 1000;

/** All checks, the worst first. */
export function checksTable(checks: readonly CheckHistory[], view: View): Html {
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
export function gist(messages: readonly Finding[], withTexts: boolean, maxLength: number): Html | undefined {
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
  const slots: Slot[] = [];
  let items: Html[] = [];
  const end = () => {
    if (items.length > 0) slots.push(markup`<ul>${items}</ul>`);
    items = [];
  };
  for (const { kind, pieces } of blocks) {
    if (kind === 'item') items.push(markup`<li>${pieces.map(pieceOf)}</li>`);
    else {
      end();
      slots.push(
        kind === 'code' ? markup`<pre>${plainText(pieces)}</pre>` : markup`<p>${pieces.map(pieceOf)}</p>`,
      );
    }
  }
  end();
  return slots;
}

function pieceOf(piece: Piece): Slot {
  if (typeof piece === 'string') return piece;
  const [kind, text] = piece;
  if (kind === 'code') return markup`<code>${text}</code>`;
  return kind === 'bold' ? markup`<b>${text}</b>` : text;
}
