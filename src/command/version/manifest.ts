import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identity } from './provider.js';

const maxBytes = 1024 * 1024;

/** The version in the package.json of a directory. */
export async function fromManifest(cwd: string): Promise<Identity> {
  try {
    const file = join(cwd, 'package.json');
    // A named pipe would never end.
    const stats = await stat(file);
    if (!stats.isFile() || stats.size > maxBytes) return {};
    const { version }: { version?: unknown } = JSON.parse(await readFile(file, 'utf8'));
    return typeof version === 'string' ? { version } : {};
  } catch {
    return {};
  }
}
