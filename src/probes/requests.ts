import type { Clock } from '../core/clock.js';
import { abandonedFor } from './limits.js';
import { streamListeners } from '../core/request/request.js';
import { host } from '../core/runtime.js';
import { isObject } from '../core/objects.js';

/** The part of a response that shows whether its handler has ended it, and whether the client is still connected. */
interface Response {
  readonly writableEnded: boolean;
  readonly destroyed?: boolean;
  /** Of HTTP/2. */
  readonly stream?: { readonly destroyed?: boolean };
}

/** Node's channels for requests that begin, and for responses that are finished. */
const begun = 'http.server.request.start';
const ended = 'http.server.response.finish';

/** Diagnostics channels, or those of a simulation. */
export interface Channels {
  subscribe(name: string, listener: (message: unknown) => void): void;
  unsubscribe(name: string, listener: (message: unknown) => void): void;
}

/** Bun and Deno have these channels, and publish nothing on them. */
function ownChannels(): Channels | undefined {
  const { versions } = host;
  if (versions?.['bun'] !== undefined || versions?.['deno'] !== undefined) return undefined;
  return host.getBuiltinModule?.('node:diagnostics_channel');
}

/** How many requests whose clients have left are kept before they are looked through. */
const fewest = 1000;

interface Running {
  readonly since: number;
  /** Nothing else is kept of a request once its connection is closed. */
  readonly response: WeakRef<Response>;
}

/** The HTTP requests of this process that may still run, and hold a connection of a pool, whichever framework serves them. */
export class Requests {
  readonly #clock: Clock;
  readonly #channels: Channels | undefined;
  /** The oldest first. */
  readonly #running = new Set<Running>();
  readonly #known = new WeakMap<Response, Running>();
  #most = fewest;
  #watches = false;

  constructor(clock: Clock, channels: Channels | undefined = ownChannels()) {
    this.#clock = clock;
    this.#channels = channels;
  }

  /** Starts to count. */
  watch(): void {
    if (this.#watches || this.#channels === undefined) return;
    this.#watches = true;
    this.#channels.subscribe(begun, this.#onBegun);
    this.#channels.subscribe(ended, this.#onEnded);
    streamListeners.add(this.#onBegun);
  }

  /** Whether one that began before a time may have held a connection since then. */
  mayRun(before: number): boolean {
    if (!this.#watches) return true;
    this.#sweep();
    const isShort = this.#clock.now() - before < abandonedFor;
    for (const { since, response } of this.#running) {
      if (since > before) return false;
      // The handler of one whose client has left may run on, but not forever.
      if (isShort || isThere(response.deref())) return true;
    }
    return false;
  }

  close(): void {
    if (!this.#watches) return;
    this.#watches = false;
    this.#channels?.unsubscribe(begun, this.#onBegun);
    this.#channels?.unsubscribe(ended, this.#onEnded);
    streamListeners.delete(this.#onBegun);
    this.#running.clear();
  }

  readonly #onBegun = (message: unknown) => {
    if (!hasResponse(message)) return;
    const { response } = message;
    const running = { since: this.#clock.now(), response: new WeakRef(response) };
    this.#known.set(response, running);
    this.#running.add(running);
    if (this.#running.size > this.#most) this.#sweep();
  };

  readonly #onEnded = (message: unknown) => {
    const running = hasResponse(message) ? this.#known.get(message.response) : undefined;
    if (running !== undefined) this.#running.delete(running);
  };

  /** Forgets those that have ended: there is no event for an answer that was ended after its client left. */
  #sweep(): void {
    for (const running of this.#running) {
      if (running.response.deref()?.writableEnded !== false) this.#running.delete(running);
    }
    this.#most = Math.max(fewest, this.#running.size * 2);
  }
}

/** Whether the client of a request has not left. */
function isThere(response: Response | undefined): boolean {
  return (response?.destroyed ?? response?.stream?.destroyed) === false;
}

function hasResponse(message: unknown): message is { readonly response: Response } {
  return isObject(message) && 'response' in message && isObject(message.response);
}
