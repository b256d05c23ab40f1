import { allowed } from '../../core/runtime.js';
import type { Script } from './inspect.js';

/** A place in a file; line and column count from 0. */
interface Place {
  readonly url: string;
  readonly line: number;
  readonly column: number;
}
type Lookup = (place: Place) => Place | undefined;

/** Characters of a source map: a larger one would take this thread's memory. */
const largestMap = 8 * 1024 * 1024;
/** Maps read for one stack. */
const mostMaps = 10;

/** The source maps of the scripts of one stack, read from beside them or from within them. */
export class SourceMaps {
  readonly #lookups = new Map<Script, Lookup>();

  /** The place in what the author wrote; undefined where no map leads there. */
  original(script: Script, place: Place): Place | undefined {
    if (!script.sourceMapUrl || /[\\/]node_modules[\\/]/.test(script.url)) return undefined;
    let lookup = this.#lookups.get(script);
    if (lookup === undefined) {
      if (this.#lookups.size >= mostMaps) return undefined;
      lookup = allowed(() => lookupIn(script.url, script.sourceMapUrl ?? '')) ?? (() => undefined);
      this.#lookups.set(script, lookup);
    }
    return allowed(() => lookup(place));
  }
}

function lookupIn(scriptUrl: string, mapUrl: string): Lookup | undefined {
  const inline = mapUrl.startsWith('data:');
  const base = inline ? scriptUrl : new URL(mapUrl, scriptUrl).href;
  const text = inline ? inlineMap(mapUrl) : fileMap(base);
  if (text === undefined || text.length > largestMap) return undefined;
  const { SourceMap } = process.getBuiltinModule('node:module');
  const map = new SourceMap(JSON.parse(text));
  return ({ line, column }) => {
    const entry = map.findEntry(line, column);
    if (!('originalSource' in entry) || typeof entry.originalSource !== 'string') return undefined;
    const url = new URL(entry.originalSource, base).href;
    return { url, line: entry.originalLine, column: entry.originalColumn };
  };
}

function inlineMap(url: string): string | undefined {
  const comma = url.indexOf(',');
  if (comma === -1 || url.length > 2 * largestMap) return undefined;
  const data = url.slice(comma + 1);
  return url.slice(0, comma).endsWith(';base64')
    ? Buffer.from(data, 'base64').toString()
    : decodeURIComponent(data);
}

function fileMap(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const { readFileSync, statSync } = process.getBuiltinModule('node:fs');
  const file = new URL(url);
  const stat = statSync(file);
  return stat.isFile() && stat.size <= largestMap ? readFileSync(file, 'utf8') : undefined;
}
