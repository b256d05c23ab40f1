import type { Clock } from '../core/time.js';
import { streamListeners } from '../core/request/request.js';
import { attempt, host } from '../core/runtime.js';
import { abandonedFor } from './limits.js';

/** A response over HTTP/1 or HTTP/2: whether its handler has ended it, and whether its client is still connected. */
interface Response {
  readonly writableEnded?: boolean;
  readonly destroyed?: boolean;
  readonly stream?: { readonly destroyed?: boolean; once?(event: string, listener: () => void): unknown };
  /** The request, over HTTP/2. */
  readonly req?: unknown;
}

/** A message of Node's channels. Others may publish anything: an error here would end the process. */
interface Published {
  readonly request?: unknown;
  readonly response?: Response | undefined;
}

/** Diagnostics channels, or those of a simulation. */
export interface Channels {
  subscribe(name: string, listener: (message: unknown) => void): void;
  unsubscribe(name: string, listener: (message: unknown) => void): void;
}

/** Bun and Deno have these channels, and publish nothing on them. */
function ownChannels(): Channels | undefined {
  const { versions } = host;
  if (versions?.['bun'] !== undefined || versions?.['deno'] !== undefined) return undefined;
  return attempt(() => host.getBuiltinModule?.('node:diagnostics_channel'));
}

/**
 * Follows the requests of this process, whichever framework serves them; the returned function ends that. Node publishes those over
 * HTTP/1, a Health notes those over HTTP/2. Nothing is replaced.
 */
function followRequests(
  channels: Channels | undefined,
  begun: (response: Response, request: unknown) => void,
  ended: (response: Response) => void,
): () => void {
  const onBegun = (message: unknown): void => {
    const { request, response }: Published = Object(message);
    if (typeof response === 'object' && response !== null) begun(response, request);
  };
  const onEnded = (message: unknown): void => {
    const { response }: Published = Object(message);
    if (typeof response === 'object' && response !== null) ended(response);
  };
  // Two Healths may serve one request.
  const streams = new WeakSet<object>();
  const onStream = ({ response }: { readonly response: Response }): void => {
    if (streams.has(response)) return;
    streams.add(response);
    begun(response, response.req);
    response.stream?.once?.('finish', () => ended(response));
  };
  channels?.subscribe('http.server.request.start', onBegun);
  channels?.subscribe('http.server.response.finish', onEnded);
  streamListeners.add(onStream);
  return () => {
    channels?.unsubscribe('http.server.request.start', onBegun);
    channels?.unsubscribe('http.server.response.finish', onEnded);
    streamListeners.delete(onStream);
  };
}

const hasLeft = ({ destroyed, stream }: Response): boolean => (destroyed ?? stream?.destroyed) === true;

/** How many requests whose clients have left are kept before they are looked through. */
const fewest = 1000;

interface Running {
  readonly since: number;
  /** Nothing else is kept of a request once its connection is closed. */
  readonly response: WeakRef<Response>;
}

/** The requests that may still run, and hold a connection of a pool. */
export class RunningRequests {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #channels: Channels | undefined;
  /** The oldest first. */
  readonly #running = new Set<Running>();
  readonly #known = new WeakMap<Response, Running>();
  #most = fewest;
  #unfollow: (() => void) | undefined;

  constructor(clock: Pick<Clock, 'now'>, channels: Channels | undefined = ownChannels()) {
    this.#clock = clock;
    this.#channels = channels;
  }

  /** Starts to count. */
  watch(): void {
    if (this.#channels === undefined) return;
    this.#unfollow ??= followRequests(
      this.#channels,
      (response) => this.#begun(response),
      (response) => {
        const running = this.#known.get(response);
        if (running !== undefined) this.#running.delete(running);
      },
    );
  }

  /** Whether one that began before a time may have held a connection since then. */
  mayRun(before: number): boolean {
    if (this.#unfollow === undefined) return true;
    this.#sweep();
    const isShort = this.#clock.now() - before < abandonedFor;
    for (const { since, response: held } of this.#running) {
      if (since > before) return false;
      const response = held.deref();
      // The handler of one whose client has left may run on, but not forever.
      if (isShort || (response !== undefined && !hasLeft(response))) return true;
    }
    return false;
  }

  close(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.#running.clear();
  }

  #begun(response: Response): void {
    const running = { since: this.#clock.now(), response: new WeakRef(response) };
    this.#known.set(response, running);
    this.#running.add(running);
    if (this.#running.size > this.#most) this.#sweep();
  }

  /** Forgets those that have ended: there is no event for an answer that was ended after its client left. */
  #sweep(): void {
    for (const running of this.#running) {
      if (running.response.deref()?.writableEnded !== false) this.#running.delete(running);
    }
    this.#most = Math.max(fewest, this.#running.size * 2);
  }
}

/** Requests that are in the memory, the latest ones, and bytes of each: its number, its length, its text. */
const slots = 16;
const slotBytes = 256;
const head = 8;
const maxBytes = slotBytes - head;
/** Requests that are named. */
const named = 5;

/** The latest requests in memory that another thread reads while this one is blocked in native code. */
export class SharedRequests {
  readonly memory = new SharedArrayBuffer(slots * slotBytes);
  readonly #numbers = new Int32Array(this.memory);
  readonly #bytes = Buffer.from(this.memory);
  readonly #responses: (Response | undefined)[] = Array.from({ length: slots });
  readonly #unfollow: () => void;
  #next = 0;

  constructor() {
    this.#unfollow = followRequests(
      ownChannels(),
      (response, request) => this.#begun(response, request),
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

  /** Forgets requests whose connection has closed: their responses never finish. */
  sweep(): void {
    for (let slot = 0; slot < slots; slot += 1) {
      const response = this.#responses[slot];
      if (response !== undefined && hasLeft(response)) this.#free(slot);
    }
  }

  #begun(response: Response, request: unknown): void {
    const { method, url }: { readonly method?: unknown; readonly url?: unknown } = Object(request);
    if (typeof url !== 'string') return;
    const slot = this.#next % slots;
    this.#next = (this.#next + 1) | 0;
    this.#free(slot);
    const query = url.indexOf('?');
    const text = `${String(method)} ${query === -1 ? url : url.slice(0, query)}`;
    const at = slot * slotBytes;
    const length = this.#bytes.write(text, at + head, maxBytes, 'latin1');
    this.#numbers[at / 4] = this.#next;
    this.#numbers[at / 4 + 1] = length;
    this.#responses[slot] = response;
  }

  #free(slot: number): void {
    this.#responses[slot] = undefined;
    this.#numbers[(slot * slotBytes) / 4 + 1] = 0;
  }
}

/** The requests in such a memory, the latest first: `POST /report, GET /orders/7 and 3 more`. `clean` takes out secrets. */
export function requestsIn(memory: SharedArrayBuffer, clean: (text: string) => string): string | undefined {
  const numbers = new Int32Array(memory);
  const bytes = Buffer.from(memory);
  const found: { readonly number: number; readonly text: string }[] = [];
  for (let at = 0; at < memory.byteLength; at += slotBytes) {
    const length = Math.min(maxBytes, numbers[at / 4 + 1] ?? 0);
    if (length === 0) continue;
    const text = bytes.toString('latin1', at + head, at + head + length);
    found.push({ number: numbers[at / 4] ?? 0, text });
  }
  if (found.length === 0) return undefined;
  // Their numbers overflow.
  found.sort((one, other) => (other.number - one.number) | 0);
  const texts = found.slice(0, named).map(({ text }) => clean(text));
  return texts.join(', ') + (found.length > named ? ` and ${found.length - named} more` : '');
}
