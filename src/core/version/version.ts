import { within } from '../deadlines.js';
import { versionCallbackInvalid } from '../options/errors.js';
import type { ResolvedOptions } from '../options/options.js';
import { describe } from '../scrub/scrub.js';
import { timersEndWithRequest } from '../runtime.js';
import { isRecord } from '../objects.js';
import { broken, maxBytes, missing, type VersionOutcome } from './outcome.js';
import { VersionFile } from './version-file.js';
import { type Answer, answerBrokenVersion, answerNoVersion, answerVersion } from '../endpoints.js';
import type { MessageLevel } from '../heartbeat/messages.js';

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

/**
 * The built-in version callback: the content of `version.json` in a directory, or undefined if there is none.
 *
 * @example const callback = async (path: string) => ({ ...(await getVersion(path)), region: 'eu' });
 */
export async function getVersion(versionPath: string): Promise<Version | undefined> {
  const outcome = await new VersionFile(versionPath).read();
  if (outcome.kind === 'broken') throw new Error(`${outcome.sentence}: ${outcome.cause}`);
  return outcome.kind === 'found' ? JSON.parse(outcome.json) : undefined;
}

/** @internal The source of the version: the callback if there is one, else `version.json`. */
export class VersionSource {
  readonly #versionPath: string;
  readonly #timeout: number;
  readonly #files: readonly VersionFile[];
  readonly #log: (level: MessageLevel, msg: string) => void;
  #callback: VersionCallback | undefined;
  /** The run of the callback that is under way, and when it is given up. */
  #run: { readonly outcome: Promise<VersionOutcome>; readonly until: number } | undefined;

  #missingLogged = false;

  constructor(
    {
      versionPath,
      versionFallbacks,
      timeout,
    }: Pick<ResolvedOptions, 'versionPath' | 'versionFallbacks' | 'timeout'>,
    log: (level: MessageLevel, msg: string) => void = () => {},
  ) {
    this.#log = log;
    this.#versionPath = versionPath;
    this.#timeout = timeout;
    const directories = new Set([versionPath, ...versionFallbacks]);
    this.#files = Array.from(directories, (directory) => new VersionFile(directory));
  }

  /** Takes a callback instead of the file. */
  replace(callback: unknown): void {
    if (!isVersionCallback(callback)) throw versionCallbackInvalid(callback);
    this.#callback = callback;
  }

  read(): Promise<VersionOutcome> {
    const callback = this.#callback;
    if (callback === undefined) return this.#readFiles();
    const timeout = this.#timeout;
    // One at a time: a flood of requests for a version that hangs must not pile up runs.
    if (this.#run === undefined || this.#run.until < performance.now() || timersEndWithRequest) {
      const outcome = callVersion(callback, this.#versionPath);
      const run = { outcome, until: performance.now() + timeout * abandonAfter };
      this.#run = run;
      void outcome.then(() => {
        if (this.#run === run) this.#run = undefined;
      });
    }
    const late = broken('the version callback did not answer', `It took longer than ${timeout} ms.`);
    return within(this.#run.outcome, timeout, late);
  }

  /** The answer of `/__version__`; why there is none is in the log. */
  async answer(): Promise<Answer> {
    const outcome = await this.read();
    if (outcome.kind === 'found') return answerVersion(outcome.json);
    if (outcome.kind === 'missing') {
      this.#logMissing(outcome.lookedIn);
      return answerNoVersion;
    }
    this.#log(40, `${outcome.sentence}: ${outcome.cause}`);
    return answerBrokenVersion(outcome.sentence);
  }

  /** Once: a platform asks for a version again and again. */
  #logMissing(lookedIn: readonly string[] | undefined): void {
    if (lookedIn === undefined || this.#missingLogged) return;
    this.#missingLogged = true;
    const where = lookedIn.join(' or ');
    this.#log(
      30,
      `version.json not found in ${where}. Create it with "npx lifesign version", or set versionPath (BASE_DIR in settings).`,
    );
  }

  /** The first file that is there, good or bad. */
  async #readFiles(): Promise<VersionOutcome> {
    for (const file of this.#files) {
      const outcome = await file.read();
      if (outcome.kind !== 'missing') return outcome;
    }
    return { kind: 'missing', lookedIn: this.#files.map(({ directory }) => directory) };
  }
}

function isVersionCallback(value: unknown): value is VersionCallback {
  return typeof value === 'function';
}

/** The outcome of a version callback, whatever it does. Never rejects. */
async function callVersion(callback: VersionCallback, versionPath: string): Promise<VersionOutcome> {
  try {
    const version = await callback(versionPath);
    if (version === null || version === undefined) return missing;
    if (!isRecord(version)) return notObject(`It returned a ${typeof version}.`);
    const json: unknown = JSON.stringify(version);
    // An object with a toJSON method may have become anything.
    if (typeof json !== 'string' || !json.startsWith('{'))
      return notObject('Its toJSON did not return an object.');
    if (json.length > maxBytes) {
      return broken('the version callback returned more than 1 MiB', `It has ${json.length} characters.`);
    }
    return { kind: 'found', json };
  } catch (thrown) {
    return broken('the version callback failed', describe(thrown));
  }
}

const notObject = (cause: string) => broken('the version callback did not return an object', cause);
