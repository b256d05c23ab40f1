// By hand: the packages for HCL are translations of a Go program, of some megabytes each. Job files need blocks, attributes and lists.
import type { Scalar, Tree } from '../tree.js';

/** A text, number or word; punctuation is itself. */
interface Token {
  readonly kind: 'text' | 'word' | 'mark' | 'end';
  readonly text: string;
  readonly line: number;
}

const maxNested = 100;
/** White space and comments, the start of a heredoc, a text with `${…}`, a word, or one other character. */
const pattern =
  /(\s+|(?:#|\/\/)[^\n]*|\/\*[^]*?(?:\*\/|$))|<<-?([A-Za-z_]\w{0,99})\n|"((?:\\.|\$\{(?:[^{}"\n]|"[^"\n]*"|\{[^{}\n]*\})*\}|[^"\\\n$]|\$(?!\{))*)"|([\w.$*-]+)|[^]/y;

/** Blocks with labels, attributes, lists, comments and heredocs; an error text if it cannot be read. */
export function parseHcl(text: string): Tree | string {
  try {
    return parsed(tokensOf(text));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return thrown.message;
    throw thrown;
  }
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let line = 1;
  for (let at = 0; at < text.length;) {
    pattern.lastIndex = at;
    const [mark = '', space, name, quoted, word] = pattern.exec(text) ?? [];
    let end = at + mark.length;
    if (name !== undefined) {
      const close = new RegExp(`^[ \\t]*${name}[ \\t\\r]*$`, 'mg');
      close.lastIndex = end;
      const body = close.exec(text)?.index ?? text.length;
      tokens.push({ kind: 'text', text: text.slice(end, body), line });
      end = Math.max(close.lastIndex, body);
    } else if (quoted !== undefined)
      tokens.push({ kind: 'text', text: quoted.replace(/\\(.)/g, unescaped), line });
    else if (mark === '"') throw new SyntaxError(`line ${line}: unterminated string`);
    else if (space === undefined)
      tokens.push({ kind: word === undefined ? 'mark' : 'word', text: mark, line });
    line += text.slice(at, end).split('\n').length - 1;
    at = end;
  }
  return [...tokens, { kind: 'end', text: '', line }];
}

const unescaped = (_: string, character: string): string => (character === 'n' ? '\n' : character);

const isMark = ({ kind, text }: Token, mark: string): boolean => kind === 'mark' && text === mark;

function parsed(tokens: readonly Token[]): Tree {
  const last: Token = tokens.at(-1) ?? { kind: 'end', text: '', line: 1 };
  let [position, depth] = [0, 0];
  const peek = (): Token => tokens[position] ?? last;
  const next = (): Token => tokens[position++] ?? last;
  const enter = (): void => {
    if ((depth += 1) > maxNested) throw new SyntaxError('blocks are nested too deeply');
  };

  /** To the end of the block or of the file. A block is listed under its type, with its labels as items. */
  const body = (isInside: boolean, line: number): Tree => {
    enter();
    const entries: (readonly [string, Tree])[] = [];
    for (;;) {
      const token = next();
      if (token.kind === 'end' || isMark(token, '}')) {
        if ((token.kind === 'end') === isInside) throw wrong(token);
        depth -= 1;
        return tree(line, undefined, [], entries);
      }
      if (token.kind === 'mark') throw wrong(token);
      entries.push([token.text, attributeOrBlock(token.line)]);
      if (isMark(peek(), ',')) next();
    }
  };

  const attributeOrBlock = (line: number): Tree => {
    const labels: Tree[] = [];
    for (;;) {
      const token = next();
      if (isMark(token, '=') || isMark(token, ':')) return value();
      if (isMark(token, '{')) return tree(line, undefined, labels, body(true, line).entries());
      if (token.kind !== 'text' && token.kind !== 'word') throw wrong(token);
      labels.push(tree(token.line, token.text));
    }
  };

  /** An expression that is not a value (a call, a sum) is its first word; the rest of its line is passed over. */
  const value = (): Tree => {
    const token = next();
    if (token.kind === 'text') return tree(token.line, token.text);
    if (isMark(token, '{')) return body(true, token.line);
    if (isMark(token, '[')) return list(token.line);
    if (token.kind !== 'word') throw wrong(token);
    for (let open = 0; peek().kind !== 'end'; next()) {
      const { line, text } = peek();
      if (open === 0 && (line !== token.line || /^[\]},]$/.test(text))) break;
      open += Number(/^[[({]$/.test(text)) - Number(/^[\])}]$/.test(text));
    }
    return tree(token.line, literal(token.text));
  };

  const list = (line: number): Tree => {
    enter();
    const items: Tree[] = [];
    while (!isMark(peek(), ']')) {
      if (peek().kind === 'end') throw wrong(peek());
      items.push(value());
      if (isMark(peek(), ',')) next();
    }
    next();
    depth -= 1;
    return tree(line, undefined, items);
  };
  return body(false, 1);
}

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

const wrong = ({ text, line, kind }: Token): SyntaxError =>
  new SyntaxError(
    `line ${line}: ${kind === 'end' ? 'unexpected end of file' : `unexpected ${JSON.stringify(text)}`}`,
  );
