import { host } from '../core/runtime.js';
import { lastTurn } from '../core/turn.js';

/** Characters that may wait for a reader that does not keep up. */
const most = 8 * 1024 * 1024;
/** Milliseconds between looks at a full pipe: short at first, longer while nobody reads. */
const shortest = 1;
const longest = 50;
/** Milliseconds without any progress after which the end of the process is not held up further. */
const patience = 5000;

const lineFeed = 10;

const fs = host.getBuiltinModule?.('node:fs');
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Writes lines to a file descriptor, one write a turn of the event loop.
 *
 * It writes to the descriptor itself and not to `process.stdout`, which would take everything into memory
 * while a pipe is full and forget it at `process.exit`: here each byte is either written or still ours.
 * A full pipe never blocks the event loop; what does not fit the buffer is dropped and counted.
 */
export class LineWriter {
  readonly #fd: number;
  /** Lines that no write has been tried for. */
  #waiting = '';
  /** What the descriptor has taken a part of, or nothing. */
  #rest: Uint8Array = new Uint8Array(0);
  #scheduled = false;
  #delay = shortest;
  #dropped = 0;
  #report: ((dropped: number) => string) | undefined;
  #closed = false;
  /** Once the process is told to end there may be no next turn. */
  #ending = false;

  constructor(fd: number) {
    this.#fd = fd;
    this.#hook();
  }

  /** Whether the other end is gone for good: nothing is written any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Takes a line with its line feed. `report` makes the line that tells of dropped ones. */
  write(line: string, report: (dropped: number) => string): void {
    if (this.#closed) return;
    this.#report = report;
    if (this.#waiting.length + this.#rest.length + line.length > most) {
      this.#dropped += 1;
      return;
    }
    this.#waiting += line;
    if (this.#ending) this.#drain();
    else if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(this.#turn);
    }
  }

  readonly #turn = (): void => {
    this.#scheduled = false;
    if (this.#drain() || this.#closed) return;
    this.#scheduled = true;
    setTimeout(this.#turn, this.#delay).unref();
    this.#delay = Math.min(this.#delay * 2, longest);
  };

  /** Writes what the descriptor takes; whether that was all. */
  #drain(): boolean {
    for (;;) {
      if (this.#rest.length === 0) {
        if (this.#dropped > 0 && this.#waiting === '') this.#tellDropped();
        if (this.#waiting === '') return true;
        this.#rest = Buffer.from(this.#waiting);
        this.#waiting = '';
      }
      try {
        const written = fs?.writeSync(this.#fd, this.#rest) ?? this.#rest.length;
        this.#rest = this.#rest.subarray(written);
        this.#delay = shortest;
      } catch (thrown) {
        const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
        if (code === 'EAGAIN' || code === 'EINTR') return false;
        this.#lose(code === 'EPIPE' || code === 'EBADF');
        return true;
      }
    }
  }

  #tellDropped(): void {
    const line = this.#report?.(this.#dropped) ?? '';
    this.#dropped = 0;
    this.#waiting = line;
  }

  /** The descriptor refuses: a closed pipe for good, a full disk perhaps not. */
  #lose(forGood: boolean): void {
    this.#closed = forGood;
    for (const byte of this.#rest) if (byte === lineFeed) this.#dropped += 1;
    this.#rest = new Uint8Array(0);
    if (forGood) this.#waiting = '';
  }

  /** Writes everything before the process ends, and waits for a reader that is slow but alive. */
  #drainAll(): void {
    let left = this.#rest.length;
    let until = performance.now() + patience;
    while (!this.#drain() && performance.now() < until) {
      if (this.#rest.length !== left) until = performance.now() + patience;
      left = this.#rest.length;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }

  #hook(): void {
    // Node makes a pipe non-blocking when its stream is first asked for.
    void host.stdout;
    host.once?.('exit', () => {
      this.#end();
      this.#drainAll();
    });
    // Without a listener a signal ends the process at once, in the middle of a turn.
    for (const signal of signals) host.prependListener?.(signal, this.#onSignal);
  }

  #end(): void {
    // First what is still to be logged, so that it goes out in one write.
    lastTurn();
    this.#ending = true;
  }

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.#end();
    // Away before others look: who re-raises a signal does so when no other listener is left.
    host.removeListener?.(signal, this.#onSignal);
    if (host.listenerCount?.(signal) !== 0) return void this.#drain();
    this.#drainAll();
    host.kill?.(host.pid ?? 0, signal);
  };
}
