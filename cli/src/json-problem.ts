/** The syntax error of a text that should be JSON, and the first key that an object has twice. */
export interface JsonProblem {
  /** `line 1, column 7: expected a value, found NaN`; undefined if the text is JSON. Never quotes more than a character. */
  readonly wrong?: string;
  readonly repeated?: string;
}

const tokens =
  /[ \t\r\n]+|[{}[\],:]|"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y;

/** An object or a list that has begun. */
interface Level {
  readonly path: string;
  /** The names of an object; undefined for a list. */
  readonly keys: Set<string> | undefined;
  /** The path of the current value. */
  current: string;
  index: number;
}

/** Reads a text as JSON that is not nested too deeply; the caller has seen to that. */
export function jsonProblem(text: string): JsonProblem {
  const levels: Level[] = [];
  let expected: 'value' | 'key' | 'colon' | 'next' = 'value';
  let isFirst = false;
  let repeated: string | undefined;
  for (let at = 0; at < text.length;) {
    tokens.lastIndex = at;
    const token = tokens.exec(text)?.[0] ?? '';
    const level = levels.at(-1);
    const isValue = /^["\w[{-]/.test(token);
    if (token.trim() === '' && token !== '') {
      // Between two tokens.
    } else if (token === (level?.keys ? '}' : ']') && level && (expected === 'next' || isFirst)) {
      levels.pop();
      expected = 'next';
      isFirst = false;
    } else if (expected === 'key' && level?.keys && token.startsWith('"')) {
      const key = String(JSON.parse(token));
      level.current = level.path === '' ? key : `${level.path}.${key}`;
      if (level.keys.has(key)) repeated ??= level.current;
      level.keys.add(key);
      expected = 'colon';
      isFirst = false;
    } else if (expected === 'colon' && token === ':') expected = 'value';
    else if (expected === 'next' && level && token === ',') {
      expected = level.keys ? 'key' : 'value';
      level.index += 1;
      if (!level.keys) level.current = `${level.path}[${level.index}]`;
    } else if (expected === 'value' && isValue) {
      const path = level?.current ?? '';
      const isObject = token === '{';
      isFirst = isObject || token === '[';
      if (isFirst)
        levels.push({ path, keys: isObject ? new Set() : undefined, current: `${path}[0]`, index: 0 });
      expected = isObject ? 'key' : isFirst ? 'value' : 'next';
    } else return { wrong: problemAt(text, at, expected, level) };
    at += token.length;
  }
  if (expected !== 'next' || levels.length > 0)
    return { wrong: problemAt(text, text.length, expected, levels.at(-1)) };
  return repeated === undefined ? {} : { repeated };
}

const names = { value: 'a value', key: 'a key in double quotes', colon: 'a colon', next: 'the end' };

function problemAt(text: string, at: number, expected: keyof typeof names, level?: Level): string {
  const before = text.slice(0, at).split('\n');
  const foreign = /^(?:NaN|-?Infinity|undefined|None|True|False)\b/.exec(text.slice(at, at + 10))?.[0];
  const next = text.charAt(at);
  const found = { '': 'the end', '"': 'a string without an end, or with characters to escape' }[next];
  const wanted = expected === 'next' && level ? `a comma or ${level.keys ? '}' : ']'}` : names[expected];
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: expected ${wanted}, found ${found ?? foreign ?? JSON.stringify(next)}`;
}
