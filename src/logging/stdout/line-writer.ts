import { logLines } from '../../core/log.js';
import { host } from '../../core/runtime.js';
import { ownListeners } from '../../core/shared.js';
import { afterTurn, lastTurn, nextTurn } from '../../core/request/turn.js';
import { LineBuffer } from './line-buffer.js';
import { midLine } from './mid-line.js';
import { statOf } from './stat.js';

/** Characters that may wait for a reader that does not keep up. */
export const mostWaiting = 8 * 1024 * 1024;
/** Milliseconds between looks at a full pipe: short at first, longer while nobody reads. */
const minDelay = 1;
const maxDelay = 50;
/** The same for a descriptor that refuses, such as that of a full disk. */
const maxDelayRefused = 1000;
/** Milliseconds that a reader can hold up the end of the process, all in all. */
const exitWait = 5000;
/** The same where the application handles a signal: who raises it again ends the process within the listener. */
const signalWait = 100;
/** Bytes that a pipe takes whole or not at all, also beside other processes (PIPE_BUF; POSIX warrants 512). */
const pipeBuf = host.platform === 'linux' ? 4096 : 512;

// Kept: a test that holds the time still must not hold back the log.
const { setImmediate, setTimeout, clearTimeout } = globalThis;
const fs = host.getBuiltinModule?.('node:fs');
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** `full`: there is no room now, and somebody may be reading. `refused`: an error that may pass, such as a full disk. */
type Outcome = 'written' | 'full' | 'refused';

/**
 * Writes lines to the descriptor of a stream, one write per event-loop turn.
 *
 * It writes to the descriptor itself and not to the stream, which would take everything into memory
 * while a pipe is full and forget it at `process.exit`: here each byte is either written or still ours.
 * A full pipe never blocks the event loop; what does not fit the buffer is dropped and counted.
 *
 * A line is whole or absent: a pipe gets whole lines, as many as it takes in one piece, and nothing while the stream has
 * something of the application under way. While lines of ours wait for room the stream is corked: what the
 * application writes then comes after them and not into them.
 */
export class LineWriter {
  readonly #fd: number;
  readonly #stream: NodeJS.WriteStream | undefined;
  readonly #lines: LineBuffer;
  /** The descriptor has taken a part of a line. */
  #cut = false;
  /** The size of the file when it had taken a part of a line and refused the rest. */
  #sizeAtCut: number | undefined;
  #corked = false;
  #scheduled = false;
  #timer: NodeJS.Timeout | undefined;
  #delay = minDelay;
  #dropped = 0;
  #report: ((dropped: number) => string) | undefined;
  #closed = false;
  /** A signal is being handled: there may be no next turn. */
  #atOnce = false;
  /** The process is at its end and waits for nobody after this. */
  #deadline: number | undefined;

  constructor(fd: number) {
    this.#fd = fd;
    // Node makes a pipe non-blocking when its stream is first asked for.
    this.#stream = host.stdout;
    const stat = statOf(fd);
    this.#lines = new LineBuffer(stat?.isFIFO() === true || stat?.isSocket() === true ? pipeBuf : Infinity);
    host.once?.('exit', () => {
      lastTurn();
      this.#finish();
    });
    host.on?.('beforeExit', () => {
      // The application's output would keep the process alive if it did not wait for ours; on a full disk it would not.
      if (this.#corked && this.#sizeAtCut === undefined && this.#appBytes() > 0) this.#timer?.ref();
    });
    ownListeners.add(this.#onSignal);
    for (const signal of signals) this.#listen(signal);
  }

  /** Whether the other end is gone for good: nothing is written any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Whether there are lines that wait for their turn or for room. */
  get waits(): boolean {
    return this.#scheduled;
  }

  /** Takes a line with its line feed. `report` makes the line that tells of dropped ones. */
  write(line: string, report: (dropped: number) => string): void {
    if (this.#closed) return;
    this.#report = report;
    if (this.#lines.size + line.length > mostWaiting) {
      this.#dropped += 1;
      logLines.dropped += 1;
      return;
    }
    this.#lines.add(line);
    if (this.#deadline !== undefined) this.#finish();
    else if (this.#atOnce) this.#flush();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      afterTurn(this.#turn);
    }
  }

  readonly #turn = (): void => {
    this.#scheduled = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flush();
  };

  /** Writes what there is room for now, and the rest later. */
  #flush(): void {
    const outcome = this.#drain();
    if (outcome === 'written' || this.#timer !== undefined) return;
    this.#scheduled = true;
    this.#timer = setTimeout(this.#turn, this.#delay);
    if (outcome === 'refused' || !this.#corked || this.#appBytes() === 0) this.#timer.unref();
    this.#delay = Math.min(this.#delay * 2, outcome === 'full' ? maxDelay : maxDelayRefused);
  }

  /** Bytes of the application that its stream has not written yet, or characters. */
  #appBytes(): number {
    return this.#stream?.writableLength ?? 0;
  }

  #drain(): Outcome {
    if (this.#sizeAtCut !== undefined) this.#dropCut(this.#sizeAtCut);
    while (this.#next()) {
      if (!this.#corked && this.#deadline === undefined && this.#appBytes() > 0) return 'full';
      const { bytes, start } = this.#lines;
      const end = this.#lines.end();
      try {
        const written = fs?.writeSync(this.#fd, bytes, start, end - start) ?? 0;
        this.#lines.written(written);
        this.#cut = start + written < end;
        midLine.onChange?.(this.#cut);
        this.#delay = minDelay;
      } catch (thrown) {
        const code: unknown = Reflect.get(Object(thrown), 'code');
        if (code === 'EPIPE' || code === 'EBADF' || code === 'ECONNRESET') this.#close();
        else if (code === 'EAGAIN') return this.#hold();
        else if (code !== 'EINTR') return this.#refused();
      }
    }
    return 'written';
  }

  /** Whether there is something to write. */
  #next(): boolean {
    if (this.#lines.hasBytes) return true;
    // At the end of the process the application has its turn last: its stream writes only what there is room for.
    if (this.#deadline === undefined) this.#uncork();
    if (this.#dropped > 0 && this.#lines.size === 0) {
      this.#lines.add(this.#report?.(this.#dropped) ?? '');
      this.#dropped = 0;
    }
    return this.#lines.next();
  }

  #hold(): Outcome {
    if (!this.#corked) this.#stream?.cork();
    this.#corked = true;
    return 'full';
  }

  #refused(): Outcome {
    if (this.#cut) {
      this.#hold();
      this.#sizeAtCut = statOf(this.#fd)?.size;
    }
    return 'refused';
  }

  /** Half a line is written and its other half was refused: gives it up when nobody can use it. */
  #dropCut(sizeAtCut: number): void {
    this.#sizeAtCut = undefined;
    // Somebody has written after the first half, or truncated the file.
    const useless = statOf(this.#fd)?.size !== sizeAtCut;
    // The application's output is not held back forever.
    const tooLong = this.#appBytes() > mostWaiting;
    if (!useless && !tooLong) return;
    this.#lines.skipLine();
    if (tooLong) this.#lines.startLine();
    this.#dropped += 1;
    logLines.dropped += 1;
    this.#cut = false;
    midLine.onChange?.(false);
    this.#uncork();
  }

  #uncork(): void {
    if (this.#corked) this.#stream?.uncork();
    this.#corked = false;
  }

  #close(): void {
    this.#closed = true;
    this.#lines.clear();
    this.#dropped = 0;
  }

  /** Writes everything before the process ends, and waits for a reader that is slow but alive. */
  #finish(): void {
    this.#deadline ??= performance.now() + exitWait;
    // What the application's stream has under way is never finished, and may be cut.
    if (!this.#corked && this.#appBytes() > 0 && this.#next()) this.#lines.startLine();
    // No listener can be called any more: the next signal ends the process at once.
    if (this.#drain() === 'full') for (const signal of signals) host.removeAllListeners?.(signal);
    this.#drainUntil(this.#deadline);
    this.#uncork();
  }

  /** Waits while lines of ours have no room. */
  #drainUntil(deadline: number): void {
    while (this.#drain() === 'full' && this.#corked && performance.now() < deadline) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }

  #listen(signal: NodeJS.Signals): void {
    // Without a listener a signal ends the process at once, in the middle of a turn.
    host.prependListener?.(signal, this.#onSignal);
    this.#atOnce = false;
    nextTurn();
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    lastTurn();
    this.#atOnce = true;
    // Away before others look: who re-raises a signal does so when no other listener is left.
    host.removeListener?.(signal, this.#onSignal);
    setImmediate(() => this.#listen(signal));
    // The kernel spares process 1 a signal that nobody listens to.
    if (host.listenerCount?.(signal) !== 0 || host.pid === 1) {
      this.#drainUntil(performance.now() + signalWait);
      return this.#flush();
    }
    this.#finish();
    host.kill?.(host.pid ?? 0, signal);
    // Still here.
    this.#deadline = undefined;
  };
}
