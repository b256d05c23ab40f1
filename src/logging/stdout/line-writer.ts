import { logLines } from '../../core/log.js';
import { host } from '../../core/runtime.js';
import { defer, disableDeferring, enableDeferring } from '../../core/request/deferred.js';
import { type Descriptor, openOutput, type OutputName } from './descriptor.js';
import { LineBuffer } from './line-buffer.js';
import { clearTimeout, maxWaiting, setTimeout } from './kept.js';
import { midLine } from './mid-line.js';

/** Milliseconds between tries while there is no room: short at first, longer later. */
const minDelay = 1;
const maxDelay = 50;
/** Milliseconds that a reader that takes nothing can hold up the end of the process. */
const stuckWait = 1000;
/** The same for a reader that takes something now and then. */
const exitWait = 5000;

const fs = host.getBuiltinModule?.('node:fs');

/** `full`: there is no room now. `refused`: an error that may pass, such as a full disk. */
type Outcome = 'written' | 'full' | 'refused';

/**
 * Writes lines to standard output or standard error, one write per event-loop turn, and the rest at the `exit` event. It listens to no signal.
 *
 * It writes to the descriptor, because the stream loses at `process.exit` what a full pipe has not taken.
 * It writes nothing while the stream has output of the application waiting, and it corks the stream while half a line is written.
 */
export class LineWriter {
  readonly #stream: NodeJS.WriteStream | undefined;
  readonly #out: Descriptor;
  readonly #lines: LineBuffer;
  /** When the descriptor took the first part of a line and not the rest. */
  #cutAt: number | undefined;
  #scheduled = false;
  #timer: NodeJS.Timeout | undefined;
  #delay = minDelay;
  #dropped = 0;
  #report: ((dropped: number) => string) | undefined;
  #closed = false;
  /** When the process gives up on its reader, once it is ending. */
  #deadline: number | undefined;
  #lastWrite = 0;

  constructor(name: OutputName) {
    this.#stream = host[name];
    this.#out = openOutput(name);
    this.#lines = new LineBuffer(this.#out.piece);
    // First: another listener may call `process.exit`, which skips those after it.
    host.prependOnceListener?.('exit', () => {
      disableDeferring();
      this.#exit();
    });
    enableDeferring();
  }

  /** Whether the reader has closed the pipe: nothing is written any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Whether there are lines that wait for their turn or for room. */
  get waits(): boolean {
    return this.#scheduled;
  }

  /** Takes a line with its line feed. `report` makes the line that counts dropped ones. */
  write(line: string, report: (dropped: number) => string): void {
    if (this.#closed) return;
    this.#report = report;
    if (this.#lines.size + line.length > maxWaiting) return this.#drop();
    this.#lines.add(line);
    if (this.#deadline !== undefined) return this.#wait(this.#deadline);
    if (this.#scheduled) return;
    this.#scheduled = true;
    defer(this.#turn);
  }

  readonly #turn = (): void => {
    this.#scheduled = false;
    clearTimeout(this.#timer);
    if (this.#writeAll() === 'written') return;
    this.#scheduled = true;
    this.#timer = setTimeout(this.#turn, this.#delay);
    this.#delay = Math.min(this.#delay * 2, maxDelay);
    // Only half a line keeps the process alive: for a moment, and longer if output of the application waits for it.
    if (this.#cutAt === undefined || (this.#isStuck(this.#cutAt) && !this.#appWaits())) this.#timer.unref();
  };

  /** Writes as much as fits. */
  #writeAll(): Outcome {
    while (this.#next()) {
      if (this.#cutAt === undefined && this.#deadline === undefined && this.#appWaits()) return 'full';
      const { bytes, start } = this.#lines;
      const end = this.#lines.end();
      try {
        this.#out.unblock?.();
        const written = fs?.writeSync(this.#out.fd, bytes, start, end - start) ?? 0;
        this.#lines.written(written);
        this.#cut(start + written < end);
        this.#delay = minDelay;
        this.#lastWrite = performance.now();
      } catch (thrown) {
        const code: unknown = Reflect.get(Object(thrown), 'code');
        if (code === 'EPIPE' || code === 'EBADF' || code === 'ECONNRESET') this.#close();
        else if (code === 'EAGAIN') return 'full';
        else if (code !== 'EINTR') return this.#refused();
      }
    }
    return 'written';
  }

  /** Whether there is something to write. */
  #next(): boolean {
    if (this.#dropped > 0 && this.#lines.size === 0) {
      this.#lines.add(this.#report?.(this.#dropped) ?? '');
      this.#dropped = 0;
    }
    return this.#lines.next();
  }

  /** Whether output of the application waits in its stream. */
  #appWaits(): boolean {
    return (this.#stream?.writableLength ?? 0) > 0;
  }

  #isStuck(since: number): boolean {
    return performance.now() - since > stuckWait;
  }

  /** Notes whether half a line is written; the application's output must not follow it. */
  #cut(isCut: boolean): void {
    if (isCut === (this.#cutAt !== undefined)) return;
    this.#cutAt = isCut ? performance.now() : undefined;
    if (isCut) this.#stream?.cork();
    else this.#stream?.uncork();
    midLine.onChange?.(isCut);
  }

  /** A full disk may stay full: output of the application waits a moment for the rest of a line, then that is dropped. */
  #refused(): Outcome {
    if (this.#cutAt !== undefined && this.#isStuck(this.#cutAt) && this.#appWaits()) {
      this.#lines.skipLine();
      this.#drop();
      this.#cut(false);
      this.#lines.startLine();
    }
    return 'refused';
  }

  #drop(): void {
    this.#dropped += 1;
    logLines.dropped += 1;
  }

  #close(): void {
    this.#closed = true;
    this.#lines.clear();
    this.#dropped = 0;
    this.#cut(false);
  }

  #exit(): void {
    this.#lastWrite = performance.now();
    this.#deadline = this.#lastWrite + exitWait;
    // The stream never finishes its last write, which may end in the middle of a line.
    if (this.#cutAt === undefined && this.#appWaits() && this.#next()) this.#lines.startLine();
    this.#wait(this.#deadline);
    this.#cut(false);
  }

  /** Waits for a reader that is slow but alive. */
  #wait(deadline: number): void {
    while (this.#writeAll() === 'full' && !this.#isStuck(this.#lastWrite) && performance.now() < deadline) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
