import type { Debugger } from 'node:inspector';
import { attempt } from '../../core/runtime.js';
import { clean } from '../../core/scrub/scrub.js';
import type { Script } from './inspect.js';
import { SourceMaps } from './source-maps.js';

/** A frame as people read it. */
interface Frame {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Whose it is, if it is not the application's. */
  readonly mark: 'node' | 'node_modules' | undefined;
}

/** Frames kept of a stack: a recursion must not fill the line. */
const maxFrames = 30;
/** Characters of a stack, so that its line fits the 4,096 bytes that a pipe takes whole. */
const maxStackLength = 3000;
const maxNameLength = 200;

/** A stack in words, and the frame to blame. */
export function describeFrames(
  callFrames: readonly Debugger.CallFrame[],
  scripts: ReadonlyMap<string, Script>,
): { readonly stack: string; readonly culprit: string | undefined } {
  const maps = new SourceMaps();
  const frames = callFrames.slice(0, maxFrames).map((frame) => frameOf(frame, scripts, maps));
  const guilty = frames.find(({ mark }) => mark === undefined) ?? frames[0];
  return { stack: stackOf(frames), culprit: guilty && culpritOf(guilty) };
}

function stackOf(frames: readonly Frame[]): string {
  let stack = '';
  for (const frame of frames) {
    const line = lineOf(frame);
    if (stack.length + line.length > maxStackLength) return `${stack}\n…`;
    stack += stack === '' ? line : `\n${line}`;
  }
  return stack;
}

function frameOf(
  { functionName, location }: Debugger.CallFrame,
  scripts: ReadonlyMap<string, Script>,
  maps: SourceMaps,
): Frame {
  const script = scripts.get(location.scriptId);
  const { lineNumber, columnNumber = 0 } = location;
  const compiled = { url: script?.url ?? '', line: lineNumber, column: columnNumber };
  const { url, line, column } = (script && maps.original(script, compiled)) ?? compiled;
  const file = fileOf(url);
  return { name: functionName, file, line: line + 1, column: column + 1, mark: markOf(file) };
}

function fileOf(url: string): string {
  if (url === '') return '<anonymous>';
  if (!url.startsWith('file:')) return url;
  return attempt(() => process.getBuiltinModule('node:url').fileURLToPath(url)) ?? url;
}

function markOf(file: string): Frame['mark'] {
  if (file.startsWith('node:')) return 'node';
  return /[\\/]node_modules[\\/]/.test(file) ? 'node_modules' : undefined;
}

function lineOf({ name, file, line, column, mark }: Frame): string {
  const place = clean(`${file}:${line}:${column}`, maxNameLength * 2);
  const where = name === '' ? place : `${clean(name, maxNameLength)} (${place})`;
  return `at ${where}${mark === undefined ? '' : ` [${mark}]`}`;
}

/** `parseCsv (report.js:12)`. */
function culpritOf({ name, file, line }: Frame): string {
  const place = clean(
    `${file.slice(1 + Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')))}:${line}`,
    maxNameLength,
  );
  return name === '' ? place : `${clean(name, maxNameLength)} (${place})`;
}
