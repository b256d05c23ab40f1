import { jsonProblem } from './json-problem.js';

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
  } catch {
    // Its message quotes the text, secrets and all.
    return { wrong: `is not JSON (${jsonProblem(text).wrong ?? 'it cannot be parsed'})` };
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

/** The path of the first key that an object of a body has twice; undefined for none, and for text that is not JSON. */
export function repeatedKey({ body }: { readonly body: Buffer }): string | undefined {
  const text = body.toString();
  return 'value' in parseJson(text) ? jsonProblem(text).repeated : undefined;
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
