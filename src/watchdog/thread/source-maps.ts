import { attempt } from '../../core/runtime.js';
import type { Script } from './inspect.js';

/** A place in a file; line and column count from 0. */
interface Place {
  readonly url: string;
  readonly line: number;
  readonly column: number;
}
type Lookup = (place: Place) => Place | undefined;

/** The parts of a source map. */
interface RawMap {
  readonly mappings?: unknown;
  readonly sources?: unknown;
  readonly sourceRoot?: unknown;
  readonly sections?: unknown;
}

/** Characters of a source map: a larger one would take this thread's memory. */
const maxMapBytes = 8 * 1024 * 1024;
/** Characters of the maps of one stack. */
const maxMapBytesInAll = 2 * maxMapBytes;

/** The source maps of the scripts of one stack, read from beside them or from within them. */
export class SourceMaps {
  readonly #lookups = new Map<Script, Lookup>();
  #room = maxMapBytesInAll;

  /** The place in the original source; undefined if no map leads there. */
  original(script: Script, place: Place): Place | undefined {
    if (!script.sourceMapUrl || /[\\/]node_modules[\\/]/.test(script.url)) return undefined;
    let lookup = this.#lookups.get(script);
    if (lookup === undefined) {
      lookup = attempt(() => this.#lookupIn(script.url, script.sourceMapUrl ?? '')) ?? (() => undefined);
      this.#lookups.set(script, lookup);
    }
    return attempt(() => lookup(place));
  }

  #lookupIn(scriptUrl: string, mapUrl: string): Lookup | undefined {
    const inline = mapUrl.startsWith('data:');
    const base = inline ? scriptUrl : new URL(mapUrl, scriptUrl).href;
    const maxBytes = Math.min(maxMapBytes, this.#room);
    const text = inline ? inlineMap(mapUrl, maxBytes) : fileMap(base, maxBytes);
    if (text === undefined || text.length > maxBytes) return undefined;
    this.#room -= text.length;
    return lookupOf(JSON.parse(text), base);
  }
}

function lookupOf(map: RawMap, base: string): Lookup | undefined {
  if (Array.isArray(map.sections)) return lookupInSections(map.sections, base);
  // Taken out of the map: the sources themselves, which it may have, too, are not kept.
  const { mappings } = map;
  if (typeof mappings !== 'string' || !Array.isArray(map.sources)) return undefined;
  const sources: readonly unknown[] = map.sources;
  const root = typeof map.sourceRoot === 'string' ? map.sourceRoot : '';
  const from = root === '' ? base : new URL(root.endsWith('/') ? root : `${root}/`, base).href;
  return ({ line, column }) => {
    const found = findMapped(mappings, line, column);
    const source = found && sources[found.source];
    return found && typeof source === 'string'
      ? { line: found.line, column: found.column, url: new URL(source, from).href }
      : undefined;
  };
}

/** A map of maps, as bundlers make them that put finished pieces together: the last that begins before the place counts. */
function lookupInSections(sections: readonly unknown[], base: string): Lookup {
  return ({ url, line, column }) => {
    let found: Place | undefined;
    for (const section of sections) {
      const { offset, map }: { offset?: { line?: number; column?: number }; map?: RawMap } = Object(section);
      const down = line - (offset?.line ?? 0);
      const right = down === 0 ? column - (offset?.column ?? 0) : column;
      if (down < 0 || right < 0 || map === undefined) break;
      found = lookupOf(map, base)?.({ url, line: down, column: right });
    }
    return found;
  };
}

function inlineMap(url: string, maxBytes: number): string | undefined {
  const comma = url.indexOf(',');
  if (comma === -1 || url.length > 2 * maxBytes) return undefined;
  const data = url.slice(comma + 1);
  return url.slice(0, comma).endsWith(';base64')
    ? Buffer.from(data, 'base64').toString()
    : decodeURIComponent(data);
}

function fileMap(url: string, maxBytes: number): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const { readFileSync, statSync } = process.getBuiltinModule('node:fs');
  const file = new URL(url);
  const stat = statSync(file);
  return stat.isFile() && stat.size <= maxBytes ? readFileSync(file, 'utf8') : undefined;
}

/** A place in a source of a map; line and column count from 0. */
interface MappedPlace {
  readonly source: number;
  readonly line: number;
  readonly column: number;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digits = new Map(Array.from(alphabet, (digit, value) => [digit.charCodeAt(0), value]));
const comma = 44;
const semicolon = 59;

/**
 * The source position of a place in a compiled file, by the `mappings` of its source map. It walks them once and keeps nothing:
 * unfolded, as Node's own `SourceMap` has them, some megabytes of them take more memory than this thread has.
 */
export function findMapped(mappings: string, line: number, column: number): MappedPlace | undefined {
  /** Of the mapping that is read: column, source, line and column there, and a name. Each is a difference to the last. */
  const fields = [0, 0, 0, 0, 0];
  let count = 0;
  let row = 0;
  let value = 0;
  let shift = 0;
  let found = false;
  const place = { source: 0, line: 0, column: 0 };
  for (let index = 0; index <= mappings.length; index += 1) {
    const code = index < mappings.length ? mappings.charCodeAt(index) : semicolon;
    if (code === comma || code === semicolon) {
      const [at = 0, source = 0, originalLine = 0, originalColumn = 0] = fields;
      if (count > 0 && row === line && at <= column) {
        // A single field: it has no source position.
        found = count >= 4;
        place.source = source;
        place.line = originalLine;
        place.column = originalColumn;
      }
      count = 0;
      if (code === comma) continue;
      if (row === line) break;
      row += 1;
      fields[0] = 0;
      continue;
    }
    const digit = digits.get(code);
    if (digit === undefined || shift > 30 || count >= fields.length) return undefined;
    value += (digit & 31) * 2 ** shift;
    shift += 5;
    if (digit >= 32) continue;
    const size = Math.floor(value / 2);
    fields[count] = (fields[count] ?? 0) + (value % 2 === 1 ? -size : size);
    count += 1;
    value = 0;
    shift = 0;
  }
  return found ? place : undefined;
}
