import { type Block, type Piece, plainText } from '../../explain/section.js';
import { messageSections } from '../../explain/messages.js';
import { silencing } from '../../explain/silencing.js';
import { type Html, markup, type Slot } from './html.js';

/** By message id and check: a page asks for the same ones with every heartbeat. */
const made = new Map<string, Html | undefined>();
/** Checks and ids of an application are few; made-up ones must not take memory. */
const maxCached = 500;

/** The documentation of one of our message ids, collapsed; nothing for other ids. */
export function explanation(id: string, check: string): Html | undefined {
  if (!id.startsWith('health.')) return undefined;
  const key = `${id} ${check}`;
  if (!made.has(key)) {
    if (made.size >= maxCached) made.clear();
    made.set(key, make(id, check));
  }
  return made.get(key);
}

function make(id: string, check: string): Html | undefined {
  const section = messageSections.find((each) => each.id === id);
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
