import type { BigIntStats } from 'node:fs';
import { isError, isRecord } from '../objects.js';
import { host } from '../runtime.js';
import { describe } from '../scrub/scrub.js';
import { broken, maxBytes, missing, noFiles, type VersionOutcome } from './outcome.js';

/** File systems, and Deno, report times in ticks of up to 2 s: a file younger than this may change without a new time. */
const tick = 2000;

/** Reads `version.json` of one directory, again only when the file has changed. */
export class VersionFile {
  readonly directory: string;
  #seen: { readonly stamp: string; readonly outcome: VersionOutcome } | undefined;

  constructor(directory: string) {
    this.directory = directory;
  }

  async read(): Promise<VersionOutcome> {
    const fs = host.getBuiltinModule?.('node:fs/promises');
    const path = host.getBuiltinModule?.('node:path');
    if (fs === undefined || path === undefined) return noFiles;
    const file = path.join(this.directory, 'version.json');
    try {
      const stats = await fs.stat(file, { bigint: true });
      const stamp = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
      if (this.#seen?.stamp === stamp) return this.#seen.outcome;
      const settled = Date.now() - Number(stats.ctimeMs) > tick;
      const outcome = refusal(stats) ?? parse(await fs.readFile(file), file);
      this.#seen = settled ? { stamp, outcome } : undefined;
      return outcome;
    } catch (thrown) {
      this.#seen = undefined;
      return isMissing(thrown) ? missing : broken('version.json cannot be read', describe(thrown));
    }
  }
}

function refusal(stats: BigIntStats): VersionOutcome | undefined {
  if (!stats.isFile()) return broken('version.json is not a file', 'It is a directory or a device.');
  if (stats.size > maxBytes)
    return broken('version.json is larger than 1 MiB', `It has ${stats.size} bytes.`);
  return undefined;
}

function parse(bytes: Uint8Array, file: string): VersionOutcome {
  let json: string;
  try {
    // Takes a byte order mark away.
    json = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    return broken('version.json is not UTF-8 text', describe(thrown));
  }
  try {
    // Served as it stands, so that order, large numbers and unknown fields are kept.
    if (isRecord(JSON.parse(json))) return { kind: 'found', json };
  } catch (thrown) {
    return broken(
      'version.json is not valid JSON',
      `${file}${placeIn(json, thrown)}: JSON.parse rejected it.`,
    );
  }
  return broken('version.json is not a JSON object', 'It contains an array or a single value.');
}

/** Line and column of the mistake; the error itself would show the content. */
function placeIn(json: string, thrown: unknown): string {
  const [, found] = /at position (\d+)/.exec(isError(thrown) ? thrown.message : '') ?? [];
  const at = found === undefined ? json.length : Number(found);
  const lines = json.slice(0, at).split('\n');
  return `:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}

function isMissing(thrown: unknown): boolean {
  return isError(thrown) && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR');
}
