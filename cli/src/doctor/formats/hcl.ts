import type { Scalar, Tree } from '../tree.js';

/** The part of HCL that job files are written in: blocks with labels, attributes, lists, comments, heredocs. */
export function parseHcl(text: string): Tree | string {
  try {
    return new Parser(text).body(false, 1);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return thrown.message;
    throw thrown;
  }
}

/** A text, number or word; punctuation is itself. */
interface Token {
  readonly kind: 'text' | 'word' | 'mark' | 'end';
  readonly text: string;
  readonly line: number;
}

const space = /[ \t\r\n]+|(?:#|\/\/)[^\n]*/y;
const heredoc = /<<-?[A-Za-z_]\w{0,99}\n/y;
const word = /[\w.$*-]+/y;
const maxNested = 100;

class Parser {
  readonly #text: string;
  #position = 0;
  #line = 1;
  #depth = 0;
  #peeked: Token | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Attributes and blocks, to the end of the block or of the file. A block is listed under its type with its labels. */
  body(inside: boolean, line: number): Tree {
    this.#enter();
    const entries: (readonly [string, Tree])[] = [];
    for (;;) {
      const token = this.#next();
      if (token.kind === 'end' || token.text === '}') {
        if ((token.kind === 'end') === inside) throw wrong(token);
        this.#depth -= 1;
        return tree(line, undefined, [], entries);
      }
      if (token.kind === 'mark') throw wrong(token);
      entries.push([token.text, this.#attributeOrBlock(token.line)]);
      if (this.#peek().text === ',') this.#next();
    }
  }

  #enter(): void {
    if ((this.#depth += 1) > maxNested) throw new SyntaxError('blocks are nested too deeply');
  }

  #attributeOrBlock(line: number): Tree {
    const labels: Tree[] = [];
    for (;;) {
      const token = this.#next();
      if (token.text === '=' || token.text === ':') return this.#value();
      if (token.text === '{' && token.kind === 'mark') {
        const inner = this.body(true, line);
        return tree(line, undefined, labels, inner.entries());
      }
      if (token.kind !== 'text' && token.kind !== 'word') throw wrong(token);
      labels.push(tree(token.line, token.text));
    }
  }

  /** An expression that is not a value (a call, a sum) is its first word; the rest of its line is passed over. */
  #value(): Tree {
    const token = this.#next();
    if (token.kind === 'text') return tree(token.line, token.text);
    if (token.text === '[' && token.kind === 'mark') {
      this.#enter();
      const items: Tree[] = [];
      while (this.#peek().text !== ']') {
        if (this.#peek().kind === 'end') throw wrong(this.#peek());
        items.push(this.#value());
        if (this.#peek().text === ',') this.#next();
      }
      this.#next();
      this.#depth -= 1;
      return tree(token.line, undefined, items);
    }
    if (token.text === '{' && token.kind === 'mark') return this.body(true, token.line);
    if (token.kind !== 'word') throw wrong(token);
    this.#passExpression(token.line);
    return tree(token.line, literal(token.text));
  }

  #passExpression(line: number): void {
    let open = 0;
    for (let token = this.#peek(); token.kind !== 'end'; token = this.#peek()) {
      if (open === 0 && (token.line !== line || /^[\]},]$/.test(token.text))) return;
      if (/^[[({]$/.test(token.text)) open += 1;
      if (/^[\])}]$/.test(token.text)) open -= 1;
      this.#next();
    }
  }

  #peek(): Token {
    this.#peeked ??= this.#read();
    return this.#peeked;
  }

  #next(): Token {
    const token = this.#peek();
    this.#peeked = undefined;
    return token;
  }

  #read(): Token {
    this.#skip();
    const line = this.#line;
    if (this.#position >= this.#text.length) return { kind: 'end', text: '', line };
    if (this.#text[this.#position] === '"') return { kind: 'text', text: unquoted(this.#quoted()), line };
    const long = this.#take(heredoc);
    if (long !== undefined)
      return { kind: 'text', text: this.#heredoc(long[0].replace(/^<<-?/, '').trim()), line };
    const plain = this.#take(word);
    if (plain !== undefined) return { kind: 'word', text: plain[0], line };
    const text = this.#text.charAt(this.#position);
    this.#position += 1;
    return { kind: 'mark', text, line };
  }

  /** Over white space and comments; one that is not closed goes to the end. */
  #skip(): void {
    for (;;) {
      if (this.#text.startsWith('/*', this.#position)) {
        const end = this.#text.indexOf('*/', this.#position + 2);
        this.#move(end === -1 ? this.#text.length : end + 2);
      } else if (this.#take(space) === undefined) return;
    }
  }

  /** A text in quotes, which `${…}` may hold too. */
  #quoted(): string {
    const start = this.#position;
    let open = 0;
    for (let at = start + 1; at < this.#text.length && this.#text[at] !== '\n'; at += 1) {
      const character = this.#text[at];
      if (character === '\\') at += 1;
      else if (character === '$' && this.#text[at + 1] === '{') open += 1;
      else if (character === '}' && open > 0) open -= 1;
      else if (character === '"' && open === 0) {
        this.#move(at + 1);
        return this.#text.slice(start, at + 1);
      }
    }
    throw new SyntaxError(`line ${this.#line}: unterminated string`);
  }

  /** The lines before the one that is its name; without one, all that is left. */
  #heredoc(name: string): string {
    const start = this.#position;
    for (let from = start; from < this.#text.length;) {
      const next = this.#text.indexOf('\n', from);
      const end = next === -1 ? this.#text.length : next;
      if (this.#text.slice(from, end).trim() === name) {
        this.#move(end);
        return this.#text.slice(start, from);
      }
      from = end + 1;
    }
    this.#move(this.#text.length);
    return this.#text.slice(start);
  }

  #move(position: number): void {
    for (const character of this.#text.slice(this.#position, position))
      if (character === '\n') this.#line += 1;
    this.#position = position;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#position;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#move(this.#position + found[0].length);
    return found;
  }
}

/** A block has its labels as items. */
function tree(
  line: number,
  scalar: Scalar,
  items: readonly Tree[] = [],
  entries: readonly (readonly [string, Tree])[] = [],
): Tree {
  return { line, scalar, items: () => items, entries: () => entries };
}

function literal(text: string): Scalar {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

function unquoted(text: string): string {
  return text
    .slice(1, -1)
    .replace(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}

function wrong({ text, line, kind }: Token): SyntaxError {
  return new SyntaxError(
    `line ${line}: ${kind === 'end' ? 'unexpected end of file' : `unexpected ${JSON.stringify(text)}`}`,
  );
}
