import { relative, sep } from 'node:path';
import { structuredPatch } from 'diff';

/** Text that takes the place of a part of a file, and why. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly added: string;
  readonly reason: string;
}

/** A part of a hunk; one without lines is after the line before it. */
const part = (start: number, count: number): string => `${count === 0 ? start - 1 : start},${count}`;

/** A file that is changed or created. */
export class Change {
  readonly path: string;
  readonly before: string | undefined;
  readonly #edits: Edit[] = [];

  constructor(path: string, before: string | undefined) {
    this.path = path;
    this.before = before;
  }

  /** Puts text at an offset of the file as it was; several at the same place keep the order of the calls. */
  insert(at: number, added: string, reason: string): void {
    this.replace(at, at, added, reason);
  }

  replace(from: number, to: number, added: string, reason: string): void {
    this.#edits.push({ from, to, added, reason });
  }

  /** As if nothing had been changed. */
  undo(): void {
    this.#edits.length = 0;
  }

  get after(): string {
    let [text, at] = ['', 0];
    for (const { from, to, added } of this.#edits.toSorted((one, other) => one.from - other.from)) {
      text += this.before?.slice(at, from) ?? '';
      text += added;
      at = to;
    }
    return text + (this.before?.slice(at) ?? '');
  }

  get isEmpty(): boolean {
    return this.#edits.length === 0;
  }

  /** A unified diff that `git apply` takes; the reasons are after the line numbers of each hunk. */
  diff(directory: string): string {
    const name = relative(directory, this.path).split(sep).join('/');
    const old = this.before === undefined ? '/dev/null' : `a/${name}`;
    const fresh = `b/${name}`;
    const { hunks } = structuredPatch(old, fresh, this.before ?? '', this.after, '', '', { context: 3 });
    const explained = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
      const place = `@@ -${part(oldStart, oldLines)} +${part(newStart, newLines)} @@`;
      return [`${place} ${this.#reasonsFor(lines)}`.trimEnd(), ...lines].join('\n');
    });
    const head = this.before === undefined ? [`diff --git a/${name} b/${name}`, 'new file mode 100644'] : [];
    return [...head, `--- ${old}`, `+++ ${fresh}`, ...explained, ''].join('\n');
  }

  /** By the lines that an edit added or removed: two edits that are near each other share a hunk. */
  #reasonsFor(lines: readonly string[]): string {
    const isIn = (text: string, sign: string): boolean => {
      const changed = lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1).trim());
      return text
        .split('\n')
        .map((line) => line.trim())
        .some((line) => /\w/.test(line) && changed.some((one) => one.includes(line)));
    };
    const reasons = this.#edits.filter(
      ({ from, to, added }) => isIn(added, '+') || isIn(this.before?.slice(from, to) ?? '', '-'),
    );
    return [...new Set(reasons.map(({ reason }) => reason))].join('; ');
  }
}

/** All changes, and notes for a person. */
export class Plan {
  readonly #changes = new Map<string, Change>();
  readonly notes: string[] = [];

  /** The change of a file; `before` is undefined for one that is created. */
  of(path: string, before: string | undefined): Change {
    const known = this.#changes.get(path);
    if (known !== undefined) return known;
    const change = new Change(path, before);
    this.#changes.set(path, change);
    return change;
  }

  note(text: string): void {
    if (!this.notes.includes(text)) this.notes.push(text);
  }

  /** Takes all changes back; the notes stay. */
  undo(): void {
    this.#changes.clear();
  }

  get changes(): Change[] {
    return [...this.#changes.values()].filter((change) => !change.isEmpty);
  }
}
