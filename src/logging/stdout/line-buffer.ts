const lineFeed = 10;
const empty = new Uint8Array(0);
const spaceSize = 64 * 1024;
/** Bytes that a UTF-16 code unit may take. */
const maxBytes = 3;

/** Lines to write, and where the next write begins and ends. */
export class LineBuffer {
  /** Most bytes in one piece, unless a line has more. */
  readonly #piece: number;
  /** Lines that no write has been tried for. */
  #waiting = '';
  #bytes: Uint8Array = empty;
  #start = 0;
  /** Reused by each write: a new buffer for each would be most of the garbage. */
  readonly #space = Buffer.allocUnsafeSlow(spaceSize);

  constructor(piece: number) {
    this.#piece = piece;
  }

  /** Characters and bytes that wait, about. */
  get size(): number {
    return this.#waiting.length + this.#bytes.length - this.#start;
  }

  /** The bytes being written; the next write is from `start` to `end()`. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }
  get start(): number {
    return this.#start;
  }

  /** Takes a line with its line feed. */
  add(line: string): void {
    this.#waiting += line;
  }

  /** Whether there are bytes to write. */
  get hasBytes(): boolean {
    return this.#start < this.#bytes.length;
  }

  /** Makes bytes of the lines that wait, if there are none left; whether there are some now. */
  next(): boolean {
    if (this.hasBytes) return true;
    this.#bytes = this.#waiting === '' ? empty : this.#encoded(this.#waiting);
    this.#waiting = '';
    this.#start = 0;
    return this.hasBytes;
  }

  /** After the last line that fits into the piece, else after the first line. */
  end(): number {
    if (this.#bytes.length - this.#start <= this.#piece) return this.#bytes.length;
    const last = this.#bytes.lastIndexOf(lineFeed, this.#start + this.#piece - 1);
    return last >= this.#start ? last + 1 : this.#endOfLine();
  }

  written(bytes: number): void {
    this.#start += bytes;
  }

  /** Drops the rest of the first line. */
  skipLine(): void {
    this.#start = this.#endOfLine();
  }

  /** Puts a line feed first: the last write may have been half a line of other code. */
  startLine(): void {
    this.#bytes = Buffer.concat([Uint8Array.of(lineFeed), this.#bytes.subarray(this.#start)]);
    this.#start = 0;
  }

  clear(): void {
    this.#waiting = '';
    this.#bytes = empty;
    this.#start = 0;
  }

  #encoded(text: string): Uint8Array {
    if (text.length * maxBytes > spaceSize) return Buffer.from(text);
    return this.#space.subarray(0, this.#space.write(text));
  }

  /** Each line has its line feed. */
  #endOfLine(): number {
    return this.#bytes.indexOf(lineFeed, this.#start) + 1;
  }
}
