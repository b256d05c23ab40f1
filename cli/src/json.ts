/** Limits of untrusted JSON: each level and each value takes many times its bytes in memory. */
export interface JsonLimits {
  readonly levels: number;
  readonly values: number;
}

/** Beyond any body, log line or file of the contract. */
const usualLimits: JsonLimits = { levels: 100, values: 100_000 };

/** A value of JSON, or the problem with the text: `is not JSON (line 1, column 2: …)`. */
export type Parsed = { readonly value: unknown } | { readonly wrong: string };

/** Parses untrusted text; too many levels or values are refused before they take memory. */
export function parseJson(text: string, limits = usualLimits): Parsed {
  const wrong = excessOf(text, limits);
  if (wrong !== undefined) return { wrong };
  try {
    return { value: JSON.parse(text) };
  } catch (thrown) {
    // Its message quotes the text, secrets and all: what is before the quotation names a character at most.
    const [reason = ''] = (thrown instanceof Error ? thrown.message : '').split(/, (?:\.\.\.)?"/);
    return { wrong: `is not JSON (${/^["']/.test(reason) ? 'it cannot be parsed' : reason})` };
  }
}

/** The JSON object of a body; undefined if it is not one, or has too much. */
export function parseObject({
  body,
}: {
  readonly body: Buffer;
}): Readonly<Record<string, unknown>> | undefined {
  const parsed = parseJson(body.toString());
  return 'value' in parsed && isRecord(parsed.value) ? parsed.value : undefined;
}

/** A key that an object has twice; undefined for none. The text is JSON, and the value is what it says. */
export function repeatedKey(text: string, value: unknown): string | undefined {
  const written = new Map<string, number>();
  // In JSON, a string before a colon is a key.
  for (const [token, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)) {
    const key = colon === undefined ? undefined : String(JSON.parse(token.slice(0, -colon.length)));
    if (key !== undefined) written.set(key, (written.get(key) ?? 0) + 1);
  }
  const waiting = [value];
  for (const one of waiting) {
    if (typeof one !== 'object' || one === null) continue;
    for (const [key, inner] of Object.entries(one)) {
      if (!Array.isArray(one)) written.set(key, (written.get(key) ?? 0) - 1);
      waiting.push(inner);
    }
  }
  return [...written].find(([, count]) => count > 0)?.[0];
}

/** Why a body is not a JSON object, or not one that is read: `is nested deeper than 100 levels`. */
export function objectProblem({ body }: { readonly body: Buffer }): string | undefined {
  const parsed = parseJson(body.toString());
  if ('wrong' in parsed) return parsed.wrong;
  return isRecord(parsed.value) ? undefined : 'is not a JSON object';
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const [space, quote, backslash, comma] = [0x20, 0x22, 0x5c, 0x2c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts levels and values outside of strings: a value is the first of a list or an object, or comes after a comma. */
function excessOf(text: string, { levels, values }: JsonLimits): string | undefined {
  let [level, value, isFirst] = [0, 1, false];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= space) continue;
    if (code === comma || (isFirst && code !== closeList && code !== closeObject)) value += 1;
    isFirst = code === openList || code === openObject;
    if (code === quote) at = endOfString(text, at);
    else if (isFirst) {
      level += 1;
      if (level > levels) return `is nested deeper than ${levels} levels`;
    } else if (code === closeList || code === closeObject) level -= 1;
    if (value > values) return `has more than ${values} values`;
  }
  return undefined;
}

/** The quote that ends a string; the end of the text if none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === backslash) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
