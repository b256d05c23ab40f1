import type { Debugger } from 'node:inspector';
import type { SourceMap, SourceMapPayload } from 'node:module';
import { attempt } from '../../core/runtime.js';
import { clean } from '../../core/scrub/scrub.js';
import type { Script } from './inspect.js';

interface Frame {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Set for code that is not the application's. */
  readonly mark: 'node' | 'node_modules' | undefined;
}

/** Frames kept of a stack: a recursion must not fill the line. */
const maxFrames = 30;
/** Characters of a stack, so that its line fits the 4,096 bytes that a pipe takes whole. */
const maxStackLength = 3000;
const maxNameLength = 200;

/** A stack as text, and the frame to blame. */
export function describeFrames(
  callFrames: readonly Debugger.CallFrame[],
  scripts: ReadonlyMap<string, Script>,
): { readonly stack: string; readonly culprit: string | undefined } {
  const maps = new SourceMaps();
  const frames = callFrames.slice(0, maxFrames).map(({ functionName: name, location }): Frame => {
    const script = scripts.get(location.scriptId);
    const compiled = {
      line: location.lineNumber,
      column: location.columnNumber ?? 0,
      url: script?.url ?? '',
    };
    const { url, line, column } = (script && maps.original(script, compiled)) ?? compiled;
    const file = filePath(url);
    return { name, file, line: line + 1, column: column + 1, mark: frameMark(file) };
  });
  const blamed = frames.find(({ mark }) => mark === undefined) ?? frames[0];
  return { stack: stackText(frames), culprit: blamed && culpritText(blamed) };
}

function stackText(frames: readonly Frame[]): string {
  let stack = '';
  for (const frame of frames) {
    const line = frameLine(frame);
    if (stack.length + line.length > maxStackLength) return `${stack}\n…`;
    stack += stack === '' ? line : `\n${line}`;
  }
  return stack;
}

function filePath(url: string): string {
  if (url === '') return '<anonymous>';
  if (!url.startsWith('file:')) return url;
  return attempt(() => process.getBuiltinModule('node:url').fileURLToPath(url)) ?? url;
}

const inModules = /[\\/]node_modules[\\/]/;

function frameMark(file: string): Frame['mark'] {
  if (file.startsWith('node:')) return 'node';
  return inModules.test(file) ? 'node_modules' : undefined;
}

function frameLine({ name, file, line, column, mark }: Frame): string {
  const place = clean(`${file}:${line}:${column}`, maxNameLength * 2);
  const where = name === '' ? place : `${clean(name, maxNameLength)} (${place})`;
  return `at ${where}${mark === undefined ? '' : ` [${mark}]`}`;
}

/** `parseCsv (report.js:12)`. */
function culpritText({ name, file, line }: Frame): string {
  const base = file.slice(1 + Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')));
  const place = clean(`${base}:${line}`, maxNameLength);
  return name === '' ? place : `${clean(name, maxNameLength)} (${place})`;
}

/** A place in a file; line and column count from 0. */
interface Place {
  readonly url: string;
  readonly line: number;
  readonly column: number;
}

const maxMapBytes = 8 * 1024 * 1024;
/** Characters of the mappings of one stack: Node makes 27 bytes of each, and this thread has 64 MB. */
const maxMappings = 1024 * 1024;

/** The source maps of the scripts of one stack, read from beside them or from within them. */
class SourceMaps {
  readonly #maps = new Map<Script, ((place: Place) => Place | undefined) | undefined>();
  #room = maxMappings;

  /** The place in the original source; undefined if no map leads there. */
  original(script: Script, place: Place): Place | undefined {
    if (!script.sourceMapUrl || inModules.test(script.url)) return undefined;
    const find = this.#maps.has(script) ? this.#maps.get(script) : attempt(() => this.#read(script));
    this.#maps.set(script, find);
    return attempt(() => find?.(place));
  }

  #read({ url: scriptUrl, sourceMapUrl = '' }: Script): ((place: Place) => Place | undefined) | undefined {
    const base = sourceMapUrl.startsWith('data:') ? scriptUrl : new URL(sourceMapUrl, scriptUrl).href;
    const text = sourceMapUrl.startsWith('data:') ? inlineMap(sourceMapUrl) : fileMap(base);
    if (text === undefined) return undefined;
    const payload: SourceMapPayload & { sections?: readonly { map: SourceMapPayload }[] } = JSON.parse(text);
    const parts = payload.sections?.map(({ map }) => map) ?? [payload];
    this.#room -= parts.reduce((sum, { mappings }) => sum + mappings.length, 0);
    if (this.#room < 0) return undefined;
    const { SourceMap: Decoded } = process.getBuiltinModule('node:module');
    // The sources themselves, which a map may have too, are not kept.
    const map = new Decoded({ ...payload, sourcesContent: [] });
    const root = payload.sourceRoot ? new URL(payload.sourceRoot.replace(/\/?$/, '/'), base).href : base;
    return (place) => findPlace(map, root, place);
  }
}

function findPlace(map: SourceMap, root: string, { line, column }: Place): Place | undefined {
  const entry = map.findEntry(line, column);
  // Node returns the last mapping before the place, also if that is on another line.
  if (!('originalSource' in entry) || entry.generatedLine !== line || !entry.originalSource) return undefined;
  const { originalSource, originalLine, originalColumn } = entry;
  return { url: new URL(originalSource, root).href, line: originalLine, column: originalColumn };
}

function inlineMap(url: string): string | undefined {
  const comma = url.indexOf(',');
  if (comma === -1 || url.length > 2 * maxMapBytes) return undefined;
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
  return stat.isFile() && stat.size <= maxMapBytes ? readFileSync(file, 'utf8') : undefined;
}
