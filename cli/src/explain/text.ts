import { type Block, type Piece, type Section, silencing, type Style } from '../../../src/tools.js';

type Paint = (style: Style, text: string) => string;

/** A section for a terminal of `width` columns. Commands are never broken, so that they can be copied. */
export function textOf(section: Section, paint: Paint, width: number): string {
  const { id, blocks } = section;
  const last = silencing(id);
  const lines = [...blocks, ...(last === undefined ? [] : [last])].map((block) =>
    blockText(block, paint, width),
  );
  // The first sentence is the meaning.
  return `${paint('bold', id)}\n${lines.join('')}`;
}

function blockText({ kind, pieces }: Block, paint: Paint, width: number): string {
  if (kind === 'code') return `\n${pieces.join('').replaceAll(/^/gm, '    ')}\n`;
  const words = pieces.flatMap((piece) => wordsOf(piece, paint));
  if (kind === 'paragraph') return `\n${wrap(words, width, '')}\n`;
  return `\n- ${wrap(words, width - 2, '  ')}\n`;
}

/** A part that stays on one line, its width, and whether a space comes before it. */
interface Word {
  readonly text: string;
  readonly width: number;
  readonly spaced: boolean;
}

function wordsOf(piece: Piece, paint: Paint): readonly Word[] {
  if (typeof piece === 'string' || piece[0] === 'link') {
    const text = typeof piece === 'string' ? piece : piece[1];
    return split(text, (word) => word);
  }
  const [kind, text] = piece;
  if (kind === 'bold') return split(text, (word) => paint('bold', word));
  // Marked if there are no colours to mark it.
  const shown = paint('bold', text) === text ? `\`${text}\`` : paint('bold', text);
  return [{ text: shown, width: text.length + 2, spaced: false }];
}

/** The space before a word counts for the next piece, too: it is kept as an empty word at the end. */
function split(text: string, shown: (word: string) => string): readonly Word[] {
  return text.split(' ').map((word, index) => ({
    text: word === '' ? '' : shown(word),
    width: word.length,
    spaced: index > 0,
  }));
}

function wrap(words: readonly Word[], width: number, indent: string): string {
  let text = '';
  let column = 0;
  for (const [index, word] of words.entries()) {
    // A line is broken at a space if the next part has no room.
    const next = words.slice(index + 1).findIndex(({ spaced }) => spaced);
    const rest = words.slice(index, next === -1 ? words.length : index + 1 + next);
    const needed = rest.reduce((sum, { width: each }) => sum + each, 0);
    if (word.spaced && column > 0 && column + 1 + needed > width) {
      text += `\n${indent}`;
      column = 0;
    } else if (word.spaced && column > 0) {
      text += ' ';
      column += 1;
    }
    text += word.text;
    column += word.width;
  }
  return text;
}
