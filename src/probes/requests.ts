import { streamListeners } from '../core/request/request.js';
import { host, isNode } from '../core/runtime.js';
import type { Clock } from '../core/time.js';
import { abandonedFor } from './limits.js';

/** A response over HTTP/1 or HTTP/2: whether its handler has ended it, and whether its client is still connected. */
interface Response {
  readonly writableEnded?: boolean;
  readonly destroyed?: boolean;
  readonly stream?: { readonly destroyed?: boolean; once?(event: string, listener: () => void): unknown };
  /** The request, over HTTP/2. */
  readonly req?: unknown;
}

/** Diagnostics channels, or their simulation. */
export interface Channels {
  subscribe(name: string, listener: (message: unknown) => void): void;
  unsubscribe(name: string, listener: (message: unknown) => void): void;
}

/** Undefined on Bun and Deno, which have these channels and publish nothing on them. */
const nodeChannels = (): Channels | undefined =>
  isNode ? host.getBuiltinModule?.('node:diagnostics_channel') : undefined;

/**
 * Follows the requests of this process, whichever framework serves them, until the returned function is called. Node publishes those over
 * HTTP/1, a Health notes those over HTTP/2. Nothing is replaced.
 */
function followRequests(
  channels: Channels | undefined,
  onStart: (response: Response, request: unknown) => void,
  onFinish: (response: Response) => void,
): () => void {
  // Any code may publish on the channels, and an error here would end the process.
  const listener = (then: typeof onStart) => (message: unknown) => {
    const { request, response }: { request?: unknown; response?: Response } = Object(message);
    if (typeof response === 'object' && response !== null) then(response, request);
  };
  const start = listener(onStart);
  const finish = listener(onFinish);
  // Two Healths may serve one request.
  const streams = new WeakSet<object>();
  const onStream = ({ response }: { readonly response: Response }): void => {
    if (streams.has(response)) return;
    streams.add(response);
    onStart(response, response.req);
    // A stream also finishes if its client resets it, while the handler still runs. Node never shows the end of such a handler: it counts
    // until its response is collected, for five minutes at most.
    response.stream?.once?.('finish', () => {
      if (response.writableEnded !== false) onFinish(response);
    });
  };
  channels?.subscribe('http.server.request.start', start);
  channels?.subscribe('http.server.response.finish', finish);
  streamListeners.add(onStream);
  return () => {
    channels?.unsubscribe('http.server.request.start', start);
    channels?.unsubscribe('http.server.response.finish', finish);
    streamListeners.delete(onStream);
  };
}

const hasLeft = ({ destroyed, stream }: Response): boolean => (destroyed ?? stream?.destroyed) === true;

/** How many requests are kept before those that have ended are removed. */
const minSweep = 1000;

interface Running {
  readonly since: number;
  /** Nothing else is kept of a request once its connection is closed. */
  readonly response: WeakRef<Response>;
}

/** The requests that may still run and have a connection checked out of a pool. */
export class RunningRequests {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #channels: Channels | undefined;
  /** The oldest first. */
  readonly #running = new Set<Running>();
  readonly #byResponse = new WeakMap<Response, Running>();
  #sweepAt = minSweep;
  #unfollow: (() => void) | undefined;

  constructor(clock: Pick<Clock, 'now'>, channels: Channels | undefined = nodeChannels()) {
    this.#clock = clock;
    this.#channels = channels;
  }

  watch(): void {
    if (this.#channels === undefined) return;
    this.#unfollow ??= followRequests(
      this.#channels,
      (response) => this.#add(response),
      (response) => {
        const running = this.#byResponse.get(response);
        if (running !== undefined) this.#running.delete(running);
      },
    );
  }

  /** Whether a request that began before this time may hold a connection since then. */
  mayRun(before: number): boolean {
    if (this.#unfollow === undefined) return true;
    this.#sweep();
    const isShort = this.#clock.now() - before < abandonedFor;
    for (const { since, response: reference } of this.#running) {
      if (since > before) return false;
      const response = reference.deref();
      // The handler of a request whose client has left may still run, but not forever.
      if (isShort || (response !== undefined && !hasLeft(response))) return true;
    }
    return false;
  }

  close(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.#running.clear();
  }

  #add(response: Response): void {
    const running = { since: this.#clock.now(), response: new WeakRef(response) };
    this.#byResponse.set(response, running);
    this.#running.add(running);
    if (this.#running.size > this.#sweepAt) this.#sweep();
  }

  /** Removes those that have ended: there is no event for an answer that ended after its client left. */
  #sweep(): void {
    for (const running of this.#running) {
      if (running.response.deref()?.writableEnded !== false) this.#running.delete(running);
    }
    this.#sweepAt = Math.max(minSweep, this.#running.size * 2);
  }
}

/** The memory has a head, which is the number of requests so far, and a ring of slots: the length of a request's text, and the text. */
const slots = 16;
const slotBytes = 256;
const headBytes = 4;
const maxBytes = slotBytes - headBytes;
/** Requests that are named. */
const maxNamed = 5;

const slotStart = (slot: number) => headBytes + slot * slotBytes;

/** The latest requests in memory that another thread reads while this one is blocked in native code. */
export class SharedRequests {
  readonly memory = new SharedArrayBuffer(headBytes + slots * slotBytes);
  readonly #numbers = new Int32Array(this.memory);
  readonly #bytes = Buffer.from(this.memory);
  readonly #responses: (Response | undefined)[] = Array.from({ length: slots });
  readonly #unfollow: () => void;

  constructor() {
    this.#unfollow = followRequests(
      nodeChannels(),
      (response, request) => this.#add(response, request),
      (response) => {
        const slot = this.#responses.indexOf(response);
        if (slot !== -1) this.#free(slot);
      },
    );
  }

  release(): void {
    this.#unfollow();
    this.#responses.fill(undefined);
  }

  /** Removes requests whose connection has closed: their responses never finish. */
  sweep(): void {
    for (const [slot, response] of this.#responses.entries()) {
      if (response !== undefined && hasLeft(response)) this.#free(slot);
    }
  }

  #add(response: Response, request: unknown): void {
    const { method, url }: { readonly method?: unknown; readonly url?: unknown } = Object(request);
    if (typeof url !== 'string') return;
    const [count = 0] = this.#numbers;
    const slot = count % slots;
    const text = `${String(method)} ${url.split('?', 1).join()}`;
    const length = this.#bytes.write(text, slotStart(slot) + headBytes, maxBytes, 'latin1');
    this.#numbers[slotStart(slot) / 4] = length;
    this.#numbers[0] = (count + 1) & 0x7fff_ffff;
    this.#responses[slot] = response;
  }

  #free(slot: number): void {
    this.#responses[slot] = undefined;
    this.#numbers[slotStart(slot) / 4] = 0;
  }
}

/** The requests in such a memory, the latest first: `POST /report, GET /orders/7 and 3 more`. `clean` takes out secrets. */
export function requestsIn(memory: SharedArrayBuffer, clean: (text: string) => string): string | undefined {
  const numbers = new Int32Array(memory);
  const bytes = Buffer.from(memory);
  const [count = 0] = numbers;
  const texts = Array.from({ length: slots }, (_, back) => {
    const start = slotStart((count - 1 - back + slots) % slots);
    const length = Math.min(maxBytes, numbers[start / 4] ?? 0);
    return bytes.toString('latin1', start + headBytes, start + headBytes + length);
  }).filter((text) => text !== '');
  if (texts.length === 0) return undefined;
  const named = texts.slice(0, maxNamed).map((text) => clean(text));
  return named.join(', ') + (texts.length > maxNamed ? ` and ${texts.length - maxNamed} more` : '');
}
