import { lastWords } from '../core/loop.js';
import type { LogRecord } from '../core/log.js';
import { textIn } from '../core/objects.js';
import { attempt, host } from '../core/runtime.js';
import { clean, describe } from '../core/scrub/scrub.js';

/** Bytes that Kubernetes shows of the file. */
const maxBytes = 4096;
/** A line with fewer bytes would have no text. */
const minLineBytes = 60;
const maxTextLength = 2000;
/** The start of our line: the next one replaces it, text of other programs stays. */
const mark = 'lifesign: ';

/**
 * Writes why the process ends to the file that Kubernetes shows in `kubectl describe`; without words it removes its line. The
 * file is never created: without it nothing happens. Never throws.
 */
export function writeTermination(path: string | undefined, words: string | undefined): void {
  if (path !== undefined) attempt(() => replaceOurLine(path, words));
}

function replaceOurLine(path: string, words: string | undefined): void {
  const fs = process.getBuiltinModule('node:fs');
  const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  // A link could lead anywhere, and a pipe could block. Windows has neither flag: undefined adds none.
  const fd = fs.openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(fd);
    if (stat.isCharacterDevice()) {
      if (words !== undefined) fs.writeSync(fd, ourLine(words, maxBytes));
    } else if (stat.isFile() && stat.size <= maxBytes) {
      const before = fs.readFileSync(fd, 'utf8');
      const foreign = withoutOurs(before);
      const after =
        words === undefined ? foreign : foreign + ourLine(words, maxBytes - Buffer.byteLength(foreign));
      if (after === before) return;
      fs.writeSync(fd, after, 0);
      fs.ftruncateSync(fd, Buffer.byteLength(after));
    }
  } finally {
    fs.closeSync(fd);
  }
}

function withoutOurs(content: string): string {
  const lines = content.split('\n').filter((line) => !line.startsWith(mark));
  const foreign = lines.join('\n');
  return foreign === '' || foreign.endsWith('\n') ? foreign : `${foreign}\n`;
}

/** The line, cut to this many bytes; empty if there is no room for one. */
function ourLine(words: string, room: number): string {
  if (room < minLineBytes) return '';
  const text = `${mark}${new Date().toISOString()} ${clean(words, maxTextLength).replaceAll(/\s+/g, ' ')}`;
  const bytes = Buffer.from(text);
  if (bytes.length < room) return `${text}\n`;
  // Half a character at the end is left out.
  return `${bytes.toString('utf8', 0, room - 1).replace(/\uFFFD+$/, '')}\n`;
}

/** If the process ends within this many milliseconds after an uncaught error that the application handles, the error is the cause. */
const consequence = 10_000;

/** Writes down why the process ends, while the main thread runs: the verdict of the probes, a drain that was cut, an uncaught error. */
export class LastWords {
  readonly #path: string | undefined;
  readonly #log: (record: LogRecord) => void;
  /** Why `/livez` fails, if it does. */
  #verdict: string | undefined;
  /** The line that was written, unless the thread has replaced it. */
  #words: string | undefined;
  #stuck = false;
  /** An error that the application handles: fatal only if the process ends. */
  #handled: { readonly words: string; readonly at: number } | undefined;

  constructor(path: string | undefined, inMainThread: boolean, log: (record: LogRecord) => void) {
    this.#path = path;
    this.#log = log;
    lastWords.say = this.#say;
    // An error in a thread does not end the process.
    if (inMainThread) host.on?.('uncaughtExceptionMonitor', this.#onUncaught);
  }

  /** `why`: the reason for which `/livez` fails; undefined if it passes. */
  wedge(why: string | undefined): void {
    const before = this.#verdict;
    if (why === before) return;
    this.#verdict = why;
    if (why !== undefined || this.#words === before) this.#say(why);
  }

  /** The thread has written that the event loop is stuck. */
  stuck(): void {
    this.#stuck = true;
  }

  /** The event loop is free again: the thread's line is no longer true. */
  freed(): void {
    if (this.#stuck) writeTermination(this.#path, this.#words);
    this.#stuck = false;
  }

  /** The process ends, or the watchdog is closed. */
  end(code = 1): void {
    const handled = this.#handled;
    this.#handled = undefined;
    if (handled === undefined || code === 0 || performance.now() - handled.at > consequence) return;
    this.#say(handled.words);
  }

  release(): void {
    this.end();
    if (lastWords.say === this.#say) lastWords.say = undefined;
    host.removeListener?.('uncaughtExceptionMonitor', this.#onUncaught);
  }

  readonly #say = (words: string | undefined): void => {
    this.#words = words;
    writeTermination(this.#path, words);
  };

  /** Only observes: Node prints the error and ends the process as it would without this. */
  readonly #onUncaught = (error: unknown, origin: string): void => {
    const kind = origin === 'unhandledRejection' ? 'an unhandled rejection' : 'an uncaught exception';
    const words = `The process ends because of ${kind}: ${describe(error)}${firstFrame(error)}`;
    const isHandled =
      (host.listenerCount?.('uncaughtException') ?? 0) > 0 ||
      host.hasUncaughtExceptionCaptureCallback?.() === true;
    if (isHandled) {
      this.#handled = { words, at: performance.now() };
      return;
    }
    this.#say(words);
    this.#log({ logger: 'health', level: 50, time: Date.now(), fields: {}, msg: words });
  };
}

/** The first line of its stack. */
function firstFrame(error: unknown): string {
  const stack = textIn(Object(error), 'stack')?.slice(0, 10_000) ?? '';
  const line = /^[ \t]{1,20}at .*$/m.exec(stack)?.[0];
  return line === undefined ? '' : ` ${clean(line.trim(), 300)}`;
}
