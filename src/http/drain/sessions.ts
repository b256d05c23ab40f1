import type { ServerHttp2Session } from 'node:http2';

/** Of HTTP/2: more streams than a client can ever open. */
const allStreams = 2 ** 31 - 1;
const noError = 0;

/** The sessions of a server that speaks HTTP/2. */
export class Sessions {
  readonly open = new Set<ServerHttp2Session>();
  readonly #sentAway = new WeakSet<ServerHttp2Session>();
  #leaving = false;
  #closing = false;

  note(session: ServerHttp2Session): void {
    if (this.open.has(session)) return;
    this.open.add(session);
    session.once('close', () => this.open.delete(session));
  }

  /** A client that connects while the server leaves gets its answer first, as with HTTP/1. */
  noteStream(session: ServerHttp2Session | undefined): void {
    if (session === undefined) return;
    this.note(session);
    if (this.#closing) session.close();
    else if (this.#leaving) this.#sendAway(session);
  }

  /** Clients open their next stream elsewhere; those that are on their way are still answered. */
  sendAway(): void {
    this.#leaving = true;
    for (const session of this.open) this.#sendAway(session);
  }

  /** Lets each session end with its last stream. */
  close(): void {
    this.#closing = true;
    for (const session of this.open) session.close();
  }

  #sendAway(session: ServerHttp2Session): void {
    if (this.#sentAway.has(session) || session.destroyed) return;
    this.#sentAway.add(session);
    session.goaway(noError, allStreams);
  }
}

export function isSession(value: unknown): value is ServerHttp2Session {
  return typeof value === 'object' && value !== null && 'goaway' in value && 'close' in value;
}

/** The session of a stream; undefined where it is gone. */
export function sessionOf(stream: unknown): ServerHttp2Session | undefined {
  const session: unknown =
    typeof stream === 'object' && stream !== null ? Reflect.get(stream, 'session') : undefined;
  return isSession(session) ? session : undefined;
}
