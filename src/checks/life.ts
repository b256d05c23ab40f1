import { Closable } from '../core/closable.js';
import type { CheckHost } from '../core/heartbeat/check-host.js';

/** For how long a check listens to its client: as long as one of the Healths is open that it is registered with. */
export class Life extends Closable {
  readonly #hosts = new Set<CheckHost>();
  #current: Life | undefined;

  /** Takes a Health that the check is registered with, or that is opened again. */
  readonly attach = (host: CheckHost): void => {
    this.#hosts.add(host);
    this.reopen();
    host.onClose(() => {
      this.#hosts.delete(host);
      if (this.#hosts.size === 0) this.close();
    });
  };

  /** For a client that takes the place of the one before, whose part of this life ends now. */
  next(): Life {
    this.#current?.close();
    this.#current = new Life();
    if (this.closed) this.#current.close();
    return this.#current;
  }

  override close(): void {
    super.close();
    this.#current?.close();
  }

  override reopen(): void {
    super.reopen();
    this.#current?.reopen();
  }
}
