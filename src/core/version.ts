import { within } from './time.js';
import { versionCallbackInvalid } from './options/errors.js';
import type { ResolvedOptions } from './options/options.js';
import { describe } from './scrub/scrub.js';
import { attempt, host, timersEndWithRequest } from './runtime.js';
import { isError, isRecord } from './objects.js';
import { type Answer, answerBrokenVersion, answerNoVersion, answerVersion } from './endpoints.js';
import { levels, type MessageLevel } from './heartbeat/messages.js';

/** The build identity: the object in `version.json`, or the result of a callback. */
export type Version = Readonly<Record<string, unknown>>;

/** Replaces the reading of `version.json`; gets the version path. If it returns nothing, there is no version. */
export type VersionCallback = (
  versionPath: string,
) => Version | null | undefined | PromiseLike<Version | null | undefined>;

/** A method that is a version callback, for decorators. */
export type VersionMethod<This> = (this: This, versionPath: string) => ReturnType<VersionCallback>;

/** Timeouts after which a callback that hangs is abandoned and called again. */
const abandonAfter = 4;

/** An address of the web in a version, without user, query and fragment, which may have secrets; undefined for any other value. */
export function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol, origin, pathname } = new URL(value);
  return protocol === 'https:' || protocol === 'http:' ? origin + pathname : undefined;
}

/** The address of a repository in a browser, without `.git`. */
export const repositoryAddress = (source: unknown): string | undefined =>
  webAddress(source)?.replace(/(\.git)?\/?$/, '');

/**
 * The built-in version callback: the content of `version.json` in a directory, or undefined if there is none.
 *
 * @example const callback = async (path: string) => ({ ...(await getVersion(path)), region: 'eu' });
 */
export async function getVersion(versionPath: string): Promise<Version | undefined> {
  const outcome = await versionReader([versionPath])();
  if (outcome.kind === 'broken') throw new Error(`${outcome.sentence}: ${outcome.cause}`);
  return outcome.kind === 'found' ? JSON.parse(outcome.json) : undefined;
}

/** @internal The source of the version: the callback if there is one, else `version.json`. */
export class VersionSource {
  readonly #versionPath: string;
  readonly #timeout: number;
  readonly #readFiles: () => Promise<VersionOutcome>;
  readonly #log: (level: MessageLevel, msg: string) => void;
  #callback: VersionCallback | undefined;
  /** The run of the callback that is under way, and when it is abandoned. */
  #run: { readonly outcome: Promise<VersionOutcome>; readonly until: number } | undefined;
  #missingLogged = false;

  constructor(
    { versionPath, versionFallbacks, timeout }: ResolvedOptions<never>,
    log: (level: MessageLevel, msg: string) => void,
  ) {
    this.#log = log;
    this.#versionPath = versionPath;
    this.#timeout = timeout;
    this.#readFiles = versionReader([versionPath, ...versionFallbacks]);
  }

  replace(callback: unknown): void {
    if (typeof callback !== 'function') throw versionCallbackInvalid(callback);
    this.#callback = (versionPath) => Reflect.apply(callback, undefined, [versionPath]);
  }

  read(): Promise<VersionOutcome> {
    const callback = this.#callback;
    if (callback === undefined) return this.#readFiles();
    const now = performance.now();
    // One at a time: a flood of requests for a version that hangs must not pile up runs.
    if (this.#run === undefined || this.#run.until < now || timersEndWithRequest) {
      const outcome = callVersion(callback, this.#versionPath);
      const run = { outcome, until: now + this.#timeout * abandonAfter };
      this.#run = run;
      void outcome.then(() => {
        if (this.#run === run) this.#run = undefined;
      });
    }
    const late = broken('the version callback did not answer', `It took longer than ${this.#timeout} ms.`);
    return within(this.#run.outcome, this.#timeout, late);
  }

  /** The answer of `/__version__`; why there is none is in the log. */
  async answer(): Promise<Answer> {
    const outcome = await this.read();
    if (outcome.kind === 'found') return answerVersion(outcome.json);
    if (outcome.kind === 'broken') {
      this.#log(levels.error, `${outcome.sentence}: ${outcome.cause}`);
      return answerBrokenVersion(outcome.sentence);
    }
    // Logged once: a platform requests the version again and again.
    if (outcome.lookedIn !== undefined && !this.#missingLogged) {
      this.#missingLogged = true;
      const where = outcome.lookedIn.join(' or ');
      const fix = 'Create it with "npx lifesign version", or set versionPath (BASE_DIR in settings).';
      this.#log(levels.warning, `version.json not found in ${where}. ${fix}`);
    }
    return answerNoVersion;
  }
}

/** The outcome of a version callback of any kind. Never rejects. */
async function callVersion(callback: VersionCallback, versionPath: string): Promise<VersionOutcome> {
  try {
    const version = await callback(versionPath);
    if (version === null || version === undefined) return missing;
    const json: string | undefined = JSON.stringify(version);
    // Also of an object whose toJSON returned something else.
    if (json?.startsWith('{')) return { kind: 'found', json };
    return broken('the version callback did not return an object', `It returned a ${typeof version}.`);
  } catch (thrown) {
    return broken('the version callback failed', describe(thrown));
  }
}

/** File systems, and Deno, report times in ticks of up to 2 s: a file younger than this may change without a new time. */
const tick = 2000;

/** Reads the first `version.json` of these directories that is there, good or bad. */
export function versionReader(directories: readonly string[]): () => Promise<VersionOutcome> {
  const readers = Array.from(new Set(directories), fileReader);
  return async () => {
    for (const read of readers) {
      const outcome = await read();
      if (outcome.kind !== 'missing') return outcome;
    }
    return { kind: 'missing', lookedIn: [...new Set(directories)] };
  };
}

/** Reads `version.json` of one directory, again only when the file has changed. */
function fileReader(directory: string): () => Promise<VersionOutcome> {
  let seen: { readonly stamp: string; readonly outcome: VersionOutcome } | undefined;
  return async () => {
    const fs = host.getBuiltinModule?.('node:fs/promises');
    const path = host.getBuiltinModule?.('node:path');
    if (fs === undefined || path === undefined) return noFiles;
    const file = path.join(directory, 'version.json');
    try {
      const stats = await fs.stat(file, { bigint: true });
      const stamp = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
      if (seen?.stamp === stamp) return seen.outcome;
      if (!stats.isFile()) return broken('version.json is not a file', 'It is a directory or a device.');
      if (stats.size > maxBytes)
        return broken('version.json is larger than 1 MiB', `It has ${stats.size} bytes.`);
      const settled = Date.now() - Number(stats.ctimeMs) > tick;
      const outcome = parse(await fs.readFile(file), file);
      seen = settled ? { stamp, outcome } : undefined;
      return outcome;
    } catch (thrown) {
      seen = undefined;
      return isMissing(thrown) ? missing : broken('version.json cannot be read', describe(thrown));
    }
  };
}

function parse(bytes: Uint8Array, file: string): VersionOutcome {
  let json: string;
  try {
    // Removes a byte order mark.
    json = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    return broken('version.json is not UTF-8 text', describe(thrown));
  }
  try {
    // Served as it is, so that order, large numbers and unknown fields are kept.
    if (isRecord(JSON.parse(json))) return { kind: 'found', json };
  } catch {
    // The error would show the content.
    return broken('version.json is not valid JSON', `JSON.parse rejected ${file}.`);
  }
  return broken('version.json is not a JSON object', 'It contains an array or a single value.');
}

const isMissing = (thrown: unknown) =>
  isError(thrown) && 'code' in thrown && (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR');

/** The outcome of reading the version: JSON text to serve, nothing, or a reason for an operator. */
export type VersionOutcome =
  | { readonly kind: 'found'; readonly json: string }
  | { readonly kind: 'missing'; /** Where it was looked for. */ readonly lookedIn?: readonly string[] }
  | { readonly kind: 'broken'; readonly sentence: string; readonly cause: string };

const missing: VersionOutcome = { kind: 'missing' };
const broken = (sentence: string, cause: string): VersionOutcome => ({ kind: 'broken', sentence, cause });

const noFiles: VersionOutcome = broken(
  'version.json cannot be read on this runtime',
  'This runtime has no file system: provide the version with health.versionCallback(() => ({ … })).',
);

const maxBytes = 2 ** 20;

/** A part of a path below which nothing is the application's own. */
const installed = /[\\/]node_modules[\\/]/;

/**
 * The application's root: the nearest directory upward from the started script with a package.json. Links are
 * followed; of a launcher in `node_modules` (a framework's own command) it is the project that has it installed.
 * The directory of the script if there is no package.json.
 */
export function applicationRoot(): string {
  // Deno may refuse to read it.
  return attempt(findRoot) ?? workingDirectory();
}

function findRoot(): string {
  const fs = host.getBuiltinModule?.('node:fs');
  const path = host.getBuiltinModule?.('node:path');
  const started = host.argv?.[1];
  if (fs === undefined || path === undefined) return '/';
  if (started === undefined || started === '') return workingDirectory();
  const given = path.resolve(started);
  // `node server` starts server.js, and has no real path: its directory is the same.
  const start = attempt(() => fs.realpathSync(given)) ?? given;
  const own = installed.exec(start);
  if (own !== null) return start.slice(0, own.index);
  // `node .` starts the directory's `main`.
  const first =
    fs.statSync(start, { throwIfNoEntry: false })?.isDirectory() === true ? start : path.dirname(start);
  for (let directory = first; ; directory = path.dirname(directory)) {
    if (fs.existsSync(path.join(directory, 'package.json'))) return directory;
    if (directory === path.dirname(directory)) return first;
  }
}

/** The current directory; the root if the runtime has none or refuses. */
export function workingDirectory(): string {
  return attempt(() => host.cwd?.()) ?? '/';
}

export function parentOf(directory: string): string {
  return host.getBuiltinModule?.('node:path').dirname(directory) ?? directory;
}
