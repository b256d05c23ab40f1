/** The placeholder for a secret that was taken out of a text. */
export const hidden = '***';

const gone = /\*\*\*(?:[\s,;:)\]}&@\\>."'`<+%]|$)/y;

/** Whether a secret was taken out of a text at this place before. */
export function isHidden(text: string, at: number): boolean {
  gone.lastIndex = at;
  return gone.test(text);
}

/**
 * A family of shapes in which secrets occur. Its time must grow with the length of the text and no faster: a match
 * never fails after a repetition without bound, or consumes what it has looked at. test/core/scrub/linear.test.ts tries.
 */
export interface Family {
  readonly name: string;
  /** Found in every text that has such a secret: most texts need only one look. */
  readonly hint: RegExp;
  scrub(text: string): string;
}

/** Takes pieces out of a text from left to right. */
export class Scrubbed {
  readonly #text: string;
  #done = '';
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the next piece may begin. */
  get at(): number {
    return this.#at;
  }

  hide(from: number, to: number): void {
    this.#done += this.#text.slice(this.#at, from) + hidden;
    this.#at = to;
  }

  toString(): string {
    return this.#at === 0 ? this.#text : this.#done + this.#text.slice(this.#at);
  }
}
