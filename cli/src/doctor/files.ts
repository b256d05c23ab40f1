import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { describe, fileUnusable, type Io } from '../../../src/tools.js';

/** A file to judge. */
export interface Source {
  /** As it is shown. */
  readonly name: string;
  readonly text: string;
  /** Whether it was named itself: then it must be one that is understood. */
  readonly named: boolean;
}

const maxBytes = 16 * 1024 * 1024;
const maxFiles = 2000;
/** Of all files that are read at once. */
const maxBytesInAll = 64 * 1024 * 1024;
const passedOver = /^(?:\.git|node_modules|dist|coverage)$/;
const kinds = /\.(?:ya?ml|json|nomad|hcl|dockerfile)$|(?:^|\.)(?:Dockerfile|Containerfile)(?:\.|$)/i;

/** Which files of a directory are read, and how many at most. */
interface Selection {
  readonly kinds: RegExp;
  readonly maxFiles: number;
}

/** The files that the command line names; of a directory all that may be of a kind. `-` is standard input. */
export async function sourcesOf(
  names: readonly string[],
  io: Io,
  selection: Selection = { kinds, maxFiles },
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const name of names) {
    if (name === '-') sources.push({ name: 'standard input', text: await readAll(io), named: true });
    else sources.push(...(await readNamed(name, io.cwd, selection)));
  }
  return sources;
}

async function readAll({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBytes) throw fileUnusable('Standard input', 'read', `it is larger than ${maxBytes} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}

async function readNamed(name: string, cwd: string, selection: Selection): Promise<readonly Source[]> {
  const path = resolve(cwd, name);
  try {
    if (!(await stat(path)).isDirectory()) return [{ name, text: await readText(path), named: true }];
    const sources: Source[] = [];
    let size = 0;
    for (const file of await filesIn(path, selection)) {
      const text = await readText(file);
      size += text.length;
      if (size > maxBytesInAll) throw new RangeError(`its files have more than ${maxBytesInAll} bytes`);
      sources.push({ name: join(name, relative(path, file)), text, named: false });
    }
    return sources;
  } catch (thrown) {
    throw fileUnusable(name, 'read', describe(thrown));
  }
}

async function readText(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > maxBytes) throw new RangeError(`it is larger than ${maxBytes} bytes`);
  return readFile(path, 'utf8');
}

async function filesIn(
  directory: string,
  selection: Selection,
  found: string[] = [],
): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => a.name.localeCompare(b.name))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && !passedOver.test(entry.name)) await filesIn(path, selection, found);
    if (entry.isFile() && selection.kinds.test(basename(path))) found.push(path);
    if (found.length > selection.maxFiles)
      throw new RangeError(`it contains more than ${selection.maxFiles} files`);
  }
  return found;
}
