/** A part of a sentence: text, code, bold text or a link. */
export type Piece = string | readonly [kind: 'code' | 'bold' | 'link', text: string];

/** A paragraph, an item of a list, or a block of code. */
export interface Block {
  readonly kind: 'paragraph' | 'item' | 'code';
  readonly pieces: readonly Piece[];
}

/** The documentation of a message id or an error code. */
export interface Section {
  readonly id: string;
  /** Its meaning, in a few words. */
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** A text without its marks. */
export function plainText(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : piece[1])).join('');
}
