import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { isEndlessStream } from './endless.js';
import { isObject } from '../../core/objects.js';

/** Of HTTP/2: more streams than a client can ever open. */
const allStreams = 2 ** 31 - 1;
const noError = 0;

/** The sessions of a server that speaks HTTP/2. */
export class Sessions {
  /** With the streams that are open on each. */
  readonly #open = new Map<ServerHttp2Session, Set<ServerHttp2Stream>>();
  readonly #sentAway = new WeakSet<ServerHttp2Session>();
  #leaving = false;
  #closing = false;

  get open(): readonly ServerHttp2Session[] {
    return [...this.#open.keys()];
  }

  note(session: ServerHttp2Session): Set<ServerHttp2Stream> {
    const known = this.#open.get(session);
    if (known !== undefined) return known;
    const streams = new Set<ServerHttp2Stream>();
    this.#open.set(session, streams);
    session.once('close', () => this.#open.delete(session));
    return streams;
  }

  /** A client that connects while the server leaves gets its answer first, as with HTTP/1. */
  noteStream(stream: unknown): void {
    if (!isStream(stream)) return;
    const { session } = stream;
    if (!isSession(session)) return;
    const streams = this.note(session);
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
    if (this.#closing) session.close();
    else if (this.#leaving) this.#sendAway(session);
  }

  /** Clients open their next stream elsewhere; those that are on their way are still answered. */
  sendAway(): void {
    this.#leaving = true;
    for (const session of this.#open.keys()) this.#sendAway(session);
  }

  /** Lets each session end with its last stream. */
  close(): void {
    this.#closing = true;
    for (const session of this.#open.keys()) session.close();
  }

  /** Whether all streams that are left can be ended only by the application. */
  isOnlyEndless(waited: number): boolean {
    for (const streams of this.#open.values()) {
      if (streams.size === 0) return false;
      for (const stream of streams) if (!isEndlessStream(stream, waited)) return false;
    }
    return true;
  }

  #sendAway(session: ServerHttp2Session): void {
    if (this.#sentAway.has(session) || session.destroyed) return;
    this.#sentAway.add(session);
    session.goaway(noError, allStreams);
  }
}

export function isSession(value: unknown): value is ServerHttp2Session {
  return isObject(value) && 'goaway' in value && 'close' in value;
}

function isStream(value: unknown): value is ServerHttp2Stream {
  return isObject(value) && 'session' in value && 'once' in value;
}
