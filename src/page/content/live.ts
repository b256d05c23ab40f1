import type { AnswerStream } from '../../core/endpoints.js';
import type { History } from '../history.js';
import { loop } from '../../core/loop.js';
import { outsideRequest } from '../../core/request/request.js';
import { gzipHead } from './compress.js';
import { type LiveEvent, quietEvent, type Rendering } from './events.js';

/** Milliseconds between two events at least, and between signs of life while nothing happens. */
const minInterval = 1000;
const quiet = 15_000;
/** Milliseconds after which a reader that takes nothing is given up. */
const readerTimeout = 30_000;

/** The open pages, up to a limit, with one timer for all of them. It only runs while a page is open. */
export class Feed {
  readonly history: History;
  readonly #maxReaders: number;
  readonly #readers = new Set<Reader>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #unsubscribe = () => {};
  /** The number that the history gave to the state that was sent last, and when that was. */
  published = -1;
  #publishedAt = -Infinity;
  #spokenAt = 0;

  constructor(history: History, maxReaders: number) {
    this.history = history;
    this.#maxReaders = maxReaders;
  }

  /** The events for one more page: the state now, then the changes. Undefined if there are too many pages. */
  open(latest: () => Promise<Rendering>, gzip: boolean): AnswerStream | undefined {
    if (this.#readers.size >= this.#maxReaders) return undefined;
    const reader = new Reader(this, latest, gzip);
    this.#readers.add(reader);
    if (this.#timer === undefined) this.#start();
    return reader;
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#unsubscribe();
  }

  #start(): void {
    this.published = this.history.revision;
    const unsubscribe = this.history.subscribe(() => this.#onNews());
    const announce = () => this.history.announce();
    loop.changed.add(announce);
    this.#unsubscribe = () => {
      unsubscribe();
      loop.changed.delete(announce);
    };
    this.#spokenAt = performance.now();
    outsideRequest(() => {
      this.#timer = setInterval(() => this.#tick(), minInterval);
    });
    // A number in browsers and workers, which need no `unref`.
    if (typeof this.#timer === 'object') this.#timer.unref();
  }

  #onNews(): void {
    if (this.history.closed) for (const reader of this.#readers) reader.end();
    else if (performance.now() - this.#publishedAt >= minInterval) this.#publish();
  }

  #publish(): void {
    this.published = this.history.revision;
    this.#publishedAt = performance.now();
    this.#speak('news');
  }

  #speak(what: 'news' | 'quiet'): void {
    this.#spokenAt = performance.now();
    for (const reader of this.#readers) reader.wake(what);
  }

  #tick(): void {
    const now = performance.now();
    for (const reader of this.#readers) if (now - reader.busySince > readerTimeout) reader.giveUp();
    if (this.published !== this.history.revision && now - this.#publishedAt >= minInterval - 1)
      this.#publish();
    else if (now - this.#spokenAt >= quiet) this.#speak('quiet');
  }
}

type Chunk = string | Uint8Array;

/** One open page. It is asked only when its reader is ready: a slow one gets the latest state and no queue grows. */
class Reader implements AnswerStream, AsyncIterator<Chunk, undefined> {
  onStuck: (() => void) | undefined;
  /** Since when its reader has been busy with the last event; `Infinity` while it waits for more. */
  busySince = performance.now();
  readonly #feed: Feed;
  readonly #latest: () => Promise<Rendering>;
  readonly #gzip: boolean;
  #heard = -2;
  #shown: number | undefined;
  #ended = false;
  #wake: ((what: 'news' | 'quiet') => void) | undefined;

  constructor(feed: Feed, latest: () => Promise<Rendering>, gzip: boolean) {
    this.#feed = feed;
    this.#latest = latest;
    this.#gzip = gzip;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Chunk, undefined>> {
    this.busySince = Infinity;
    try {
      const first = this.#shown === undefined;
      const event = await this.#event();
      if (event === undefined) return await this.return();
      const value = this.#gzip ? await packed(event, first) : event.text;
      this.busySince = performance.now();
      return { done: false, value };
    } catch (thrown) {
      this.end();
      throw thrown;
    }
  }

  async return(): Promise<IteratorResult<Chunk, undefined>> {
    this.end();
    return { done: true, value: undefined };
  }

  /** The next event; undefined after the last one. */
  async #event(): Promise<LiveEvent | undefined> {
    while (!this.#ended && !this.#feed.history.closed) {
      const news = this.#heard !== this.#feed.published;
      const event = news ? await this.#news() : (await this.#word()) === 'quiet' ? quietEvent : undefined;
      if (event !== undefined && !this.#ended) return event;
    }
    return undefined;
  }

  /** The changes since the last event; the whole state for a reader that missed one. */
  async #news(): Promise<LiveEvent | undefined> {
    this.#heard = this.#feed.published;
    const rendering = await this.#latest();
    const event = rendering.since(this.#shown);
    this.#shown = rendering.number;
    return event;
  }

  #word(): Promise<'news' | 'quiet'> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(what: 'news' | 'quiet'): void {
    this.#wake?.(what);
    this.#wake = undefined;
  }

  end(): void {
    this.#ended = true;
    this.#feed.leave(this);
    this.wake('news');
  }

  /** Its client reads nothing: the events written for it must not be kept forever. */
  giveUp(): void {
    this.end();
    this.onStuck?.();
  }
}

async function packed(event: LiveEvent, first: boolean): Promise<Uint8Array> {
  const bytes = await event.bytes();
  if (!first) return bytes;
  const whole = new Uint8Array(gzipHead.length + bytes.length);
  whole.set(gzipHead);
  whole.set(bytes, gzipHead.length);
  return whole;
}
