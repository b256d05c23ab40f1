/** The syntax error of a text that should be JSON, and the first key that an object has twice. */
export interface JsonProblem {
  /** `line 1, column 7: NaN is not JSON`; undefined if the text is JSON. Never quotes more than a character. */
  readonly wrong?: string;
  readonly repeated?: string;
}

/** Reads a text as JSON that is not nested too deeply; the caller has seen to that. */
export function jsonProblem(text: string): JsonProblem {
  const reader = new Reader(text);
  try {
    reader.whole();
    return reader.repeated === undefined ? {} : { repeated: reader.repeated };
  } catch (thrown) {
    if (!(thrown instanceof Wrong)) throw thrown;
    const before = text.slice(0, thrown.at).split('\n');
    const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
    return { wrong: `${place}: ${thrown.message}` };
  }
}

class Wrong extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

const blank = /[ \t\r\n]*/y;
const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const string = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;
const foreign = /NaN|-?Infinity|undefined|None|True|False/y;

class Reader {
  readonly #text: string;
  #at = 0;
  repeated: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): void {
    if (this.#text.startsWith('\uFEFF')) throw new Wrong(0, 'a byte order mark is not allowed');
    if (/^\s*<(?:!doctype|html)/i.test(this.#text)) throw new Wrong(0, 'it is HTML');
    this.#value('');
    this.#skip();
    if (this.#at < this.#text.length) throw new Wrong(this.#at, 'there is more after the value');
  }

  #value(path: string): void {
    this.#skip();
    const first = this.#text.charAt(this.#at);
    if (first === '{') this.#object(path);
    else if (first === '[') this.#list(path);
    else if (first === '"') this.#string();
    else if (this.#take(scalar) === undefined) throw this.#unexpected('a value');
  }

  #object(path: string): void {
    const keys = new Set<string>();
    this.#items('}', () => {
      this.#skip();
      if (this.#text.charAt(this.#at) !== '"') throw this.#unexpected('a key in double quotes');
      const key: unknown = JSON.parse(this.#string());
      const own = path === '' ? String(key) : `${path}.${String(key)}`;
      if (keys.has(String(key))) this.repeated ??= own;
      keys.add(String(key));
      this.#skip();
      if (this.#text.charAt(this.#at) !== ':') throw this.#unexpected('a colon');
      this.#at += 1;
      this.#value(own);
    });
  }

  #list(path: string): void {
    let index = 0;
    this.#items(']', () => {
      this.#value(`${path}[${index}]`);
      index += 1;
    });
  }

  #items(end: string, item: () => void): void {
    this.#at += 1;
    this.#skip();
    if (this.#text.charAt(this.#at) === end) {
      this.#at += 1;
      return;
    }
    for (;;) {
      item();
      this.#skip();
      const mark = this.#text.charAt(this.#at);
      if (mark !== ',' && mark !== end) throw this.#unexpected(`a comma or ${end}`);
      this.#at += 1;
      if (mark === end) return;
    }
  }

  #string(): string {
    const start = this.#at;
    const found = this.#take(string) ?? '';
    const next = this.#text.charAt(this.#at);
    if (next === '') throw new Wrong(start, 'the string that begins here has no end');
    if (next !== '"') {
      const why = next === '\\' ? 'an unknown escape' : 'a control character';
      throw new Wrong(this.#at, `a string contains ${why}`);
    }
    this.#at += 1;
    return `${found}"`;
  }

  #skip(): void {
    this.#take(blank);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #unexpected(wanted: string): Wrong {
    const [at, next] = [this.#at, this.#text.charAt(this.#at)];
    const word = this.#take(foreign);
    if (word !== undefined) return new Wrong(at, `${word} is not JSON`);
    if (next === '') return new Wrong(at, `the text ends; expected ${wanted}`);
    const before = this.#text.slice(0, at).trimEnd();
    if (/[}\]]/.test(next) && before.endsWith(','))
      return new Wrong(before.length - 1, 'a comma before the end');
    return new Wrong(at, `expected ${wanted}, found ${JSON.stringify(next)}`);
  }
}
