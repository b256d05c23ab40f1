import type { LoopBlock } from '../../core/loop.js';
import { span } from './format.js';
import { type Html, markup } from './html.js';
import { ago, foreign } from './pieces.js';
import type { View } from './view.js';

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
