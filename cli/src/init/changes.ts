import { relative, sep } from 'node:path';
import { structuredPatch } from 'diff';
import { isScalar, type YAMLMap } from 'yaml';

/** Text that is put into a file, and why. */
interface Edit {
  readonly at: number;
  readonly added: string;
  readonly reason: string;
}

/** A part of a hunk; one without lines is after the line before it. */
const part = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;

/** A file that is changed. */
export class Change {
  readonly path: string;
  readonly before: string;
  readonly newline: string;
  #edits: readonly Edit[] = [];

  constructor(path: string, before: string) {
    this.path = path;
    this.before = before;
    this.newline = before.includes('\r\n') ? '\r\n' : '\n';
  }

  /** Puts text at an offset of the file as it was; several at the same place keep the order of the calls. */
  insert(at: number, added: string, reason: string): void {
    const edits = [...this.#edits, { at, added: added.replaceAll(/\r?\n/g, this.newline), reason }];
    this.#edits = edits.toSorted((one, other) => one.at - other.at);
  }

  /** As if nothing had been changed. */
  undo(): void {
    this.#edits = [];
  }

  get after(): string {
    let [text, last] = ['', 0];
    for (const { at, added } of this.#edits) {
      text += this.before.slice(last, at) + added;
      last = at;
    }
    return text + this.before.slice(last);
  }

  get isEmpty(): boolean {
    return this.#edits.length === 0;
  }

  /** A unified diff that `git apply` accepts; the reasons are after the line numbers of each hunk. */
  diff(directory: string): string {
    const name = relative(directory, this.path).split(sep).join('/');
    const { hunks } = structuredPatch(name, name, this.before, this.after, '', '', { context: 3 });
    const explained = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
      // An edit belongs to the hunk that shows its line.
      const own = this.#edits.filter(({ at }) => {
        const line = this.before.slice(0, at).split('\n').length;
        return line >= oldStart - 1 && line <= oldStart + oldLines;
      });
      const reasons = [...new Set(own.map(({ reason }) => reason))].join('; ');
      return [
        `@@ -${part(oldStart, oldLines)} +${part(newStart, newLines)} @@ ${reasons}`.trimEnd(),
        ...lines,
      ].join('\n');
    });
    return [`--- a/${name}`, `+++ b/${name}`, ...explained, ''].join('\n');
  }
}

/** All changes, and notes for a person. */
export class Plan {
  readonly #changes = new Map<string, Change>();
  readonly notes: string[] = [];

  /** The change of a file. */
  of(path: string, before: string): Change {
    const known = this.#changes.get(path) ?? new Change(path, before);
    this.#changes.set(path, known);
    return known;
  }

  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text);
  }

  /** Undoes all changes; the notes stay. */
  undo(): void {
    this.#changes.clear();
  }

  get changes(): Change[] {
    return [...this.#changes.values()].filter((change) => !change.isEmpty);
  }
}

/** A YAML file that gets further lines. */
export interface YamlFile {
  readonly path: string;
  /** As it is shown. */
  readonly name: string;
  readonly text: string;
}

/** Adds lines after the last key of a map; false if the map is in braces or takes keys from elsewhere. */
export function addKeys(
  plan: Plan,
  { path, text }: YamlFile,
  map: YAMLMap,
  lines: readonly string[],
  reason: string,
): boolean {
  const key = map.items[0]?.key;
  if (!isScalar(key) || !key.range || map.flow === true || map.has('<<')) return false;
  const indent = ' '.repeat(key.range[0] - (text.lastIndexOf('\n', key.range[0] - 1) + 1));
  const block = lines.map((line) => `${indent}${line}`).join('\n');
  // Without blank lines and comments below it; the last line of a file may have no end.
  const last = text.slice(0, map.range?.[1] ?? text.length).trimEnd().length;
  const end = text.indexOf('\n', last);
  if (end < 0) plan.of(path, text).insert(text.length, `\n${block}`, reason);
  else plan.of(path, text).insert(end + 1, `${block}\n`, reason);
  return true;
}

/** The text of a value of a map; undefined if there is none, or if it is a list or a map. */
export function textIn(map: YAMLMap, key: string): string | undefined {
  const value: unknown = map.get(key);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
