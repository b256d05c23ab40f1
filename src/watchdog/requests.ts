import { type StreamResponse, streamListeners } from '../core/request/request.js';
import { attempt, host } from '../core/runtime.js';

/** Requests that are kept, the latest ones, and bytes of each: its number, its length, its text. */
const slots = 16;
const slotBytes = 256;
const head = 8;
const maxBytes = slotBytes - head;
/** Requests that are named. */
const named = 5;

/** A response over HTTP/1 or HTTP/2. */
interface Response extends Partial<StreamResponse> {
  readonly destroyed?: boolean;
}

/** A message of Node's channel. Others may publish anything: an error here would end the process. */
interface Published {
  readonly request?: { readonly method?: unknown; readonly url?: unknown } | undefined;
  readonly response?: Response | undefined;
}

/**
 * Records the requests in progress so that the thread can read them while the main thread is blocked in native code: in memory
 * that both have. Node publishes when a request over HTTP/1 begins and when its response is finished, the Health notes those over HTTP/2; nothing is replaced.
 */
export class Requests {
  readonly memory = new SharedArrayBuffer(slots * slotBytes);
  readonly #numbers = new Int32Array(this.memory);
  readonly #bytes = Buffer.from(this.memory);
  readonly #responses: (Response | undefined)[] = Array.from({ length: slots });
  readonly #channels = attempt(() => host.getBuiltinModule?.('node:diagnostics_channel'));
  #next = 0;

  constructor() {
    this.#channels?.subscribe('http.server.request.start', this.#onStart);
    this.#channels?.subscribe('http.server.response.finish', this.#onFinish);
    streamListeners.add(this.#onStream);
  }

  release(): void {
    streamListeners.delete(this.#onStream);
    this.#channels?.unsubscribe('http.server.request.start', this.#onStart);
    this.#channels?.unsubscribe('http.server.response.finish', this.#onFinish);
    this.#responses.fill(undefined);
  }

  /** Forgets requests whose connection has closed: their responses never finish. */
  sweep(): void {
    for (let slot = 0; slot < slots; slot += 1) {
      const response = this.#responses[slot];
      if ((response?.destroyed ?? response?.stream?.destroyed) === true) this.#free(slot);
    }
  }

  readonly #onStart = (message: unknown): void => {
    const { request, response }: Published = Object(message);
    if (typeof request?.url !== 'string' || typeof response !== 'object') return;
    const { method, url } = request;
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
  };

  readonly #onStream = ({ response }: { readonly response: StreamResponse }): void => {
    // Two Healths may serve one request.
    if (this.#responses.includes(response)) return;
    this.#onStart({ request: response.req, response });
    response.stream?.once?.('finish', () => this.#onFinish({ response }));
  };

  readonly #onFinish = (message: unknown): void => {
    const { response }: Published = Object(message);
    const slot = response === undefined ? -1 : this.#responses.indexOf(response);
    if (slot !== -1) this.#free(slot);
  };

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
    found.push({
      number: numbers[at / 4] ?? 0,
      text: bytes.toString('latin1', at + head, at + head + length),
    });
  }
  if (found.length === 0) return undefined;
  // Their numbers overflow.
  found.sort((one, other) => (other.number - one.number) | 0);
  const texts = found.slice(0, named).map(({ text }) => clean(text));
  return texts.join(', ') + (found.length > named ? ` and ${found.length - named} more` : '');
}
