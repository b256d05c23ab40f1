import { deflated } from './compress.js';
import type { Piece } from './document.js';
import { editsOf } from './edits.js';

/** One Server-Sent Event. Compressed, it can follow any other in one stream. */
export class LiveEvent {
  readonly text: string;
  #bytes: Promise<Uint8Array> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The same compressed, once for all who read it. */
  bytes(): Promise<Uint8Array> {
    this.#bytes ??= deflated(this.text);
    return this.#bytes;
  }
}

/** A sign of life. */
export const quietEvent: LiveEvent = new LiveEvent(': still here\n\n');

/** One state of the page. Its number says which it is; each is one after that before it. */
export class Rendering {
  readonly number: number;
  readonly #piece: Piece;
  readonly #lines: readonly string[];
  readonly #edits: LiveEvent | undefined;
  #whole: LiveEvent | undefined;

  constructor(piece: Piece, before: Rendering | undefined) {
    this.number = before === undefined ? 0 : before.number + 1;
    this.#piece = piece;
    this.#lines = piece.markup.split('\n');
    if (before === undefined) return;
    const { markup: _, ...rest } = piece;
    this.#edits = eventOf({ ...rest, edits: editsOf(before.#lines, this.#lines) });
  }

  /** The event for a reader that has the state of this number: nothing, the changes, or the whole state. */
  since(number: number | undefined): LiveEvent | undefined {
    if (number === this.number) return undefined;
    if (this.#edits !== undefined && number === this.number - 1) return this.#edits;
    this.#whole ??= eventOf(this.#piece);
    return this.#whole;
  }
}

const eventOf = (data: object) => new LiveEvent(`data: ${JSON.stringify(data)}\n\n`);
