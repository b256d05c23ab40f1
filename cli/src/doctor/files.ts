import { closeSync, fstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { describe, fileUnusable, type Io } from '../../../src/tools.js';

/** A file to judge. */
export interface Source {
  /** As it is shown. */
  readonly name: string;
  /** Its text, or why it cannot be read. */
  readonly text: string | Error;
  /** Whether it was named itself: then it must be one that is understood. */
  readonly named: boolean;
}

const maxBytes = 16 * 1024 * 1024;
const tooLarge = `it is larger than ${maxBytes} bytes`;
const passedOver = /^(?:\.git|node_modules|dist|coverage)$/;
const kinds = /\.(?:ya?ml|json|nomad|hcl|dockerfile)$|(?:^|\.)(?:Dockerfile|Containerfile)(?:\.|$)/i;

/** The files that the command line names, one after the other; of a directory all that may be of a kind. `-` is standard input. */
export async function* sourcesOf(names: readonly string[], io: Io): AsyncGenerator<Source> {
  for (const name of names) {
    if (name === '-') yield { name: 'standard input', text: await readAll(io), named: true };
    else yield* readNamed(name, io.cwd);
  }
}

async function readAll({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) throw fileUnusable('Standard input', 'read', tooLarge);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}

function* readNamed(name: string, cwd: string): Generator<Source> {
  const path = resolve(cwd, name);
  const isFolder = isFolderAt(path);
  if (!isFolder) yield { name, text: textOf(path), named: true };
  const folders = isFolder ? [path] : [];
  for (const folder of folders) {
    const shown = (file: string) => join(name, relative(path, file));
    try {
      const entries = readdirSync(folder, { withFileTypes: true });
      for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
        const file = join(folder, entry.name);
        if (entry.isDirectory() && !passedOver.test(entry.name)) folders.push(file);
        // A link to a folder may lead back to this one.
        const isLink = entry.isSymbolicLink() && !isFolderAt(file);
        if ((entry.isFile() || isLink) && kinds.test(entry.name))
          yield { name: shown(file), text: textOf(file), named: false };
      }
    } catch (thrown) {
      yield { name: shown(folder), text: new Error(describe(thrown)), named: folder === path };
    }
  }
}

const isFolderAt = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function textOf(path: string): string | Error {
  try {
    const file = openSync(path, 'r');
    try {
      return fstatSync(file).size > maxBytes ? new Error(tooLarge) : readFileSync(file, 'utf8');
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    return new Error(describe(thrown));
  }
}
