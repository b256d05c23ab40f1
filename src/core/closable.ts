/** Members that were replaced in the application, and how to give them back. */
export class Closable {
  readonly #closers = new Set<() => void>();
  readonly #openers: (() => void)[] = [];
  #closed = false;

  /** Whether requests are no longer ours: hooks that could not be removed do nothing. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Calls a function once when this is closed; the function that it returns takes that back. */
  onClose(close: () => void): () => void {
    this.#closers.add(close);
    return () => void this.#closers.delete(close);
  }

  /** Calls a function now, unless this is closed, and whenever it is opened again. */
  whileOpen(open: () => void): void {
    this.#openers.push(open);
    if (!this.#closed) open();
  }

  /** Gives back all that was replaced, the last first: requests are the application's from now on. May be called again. */
  close(): void {
    this.#closed = true;
    for (const close of [...this.#closers].toReversed()) close();
    this.#closers.clear();
  }

  /** An application is served again, by `initApp`. */
  reopen(): void {
    if (!this.#closed) return;
    this.#closed = false;
    for (const open of this.#openers) open();
  }
}
