import { type IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import { Server as NetServer, Socket } from 'node:net';
import { within } from '../../core/time.js';
import { isObject } from '../../core/objects.js';
import { replace } from '../../core/replace.js';
import { attempt } from '../../core/runtime.js';
import { type NodeServer, requestEvents } from '../node/watch-server.js';
import type { Server } from './options.js';

/** How often connections are ended while a server closes, in milliseconds. */
const period = 50;
/** How long cut connections may take to close, in milliseconds: their requests are logged then. */
const cutTimeout = 1000;

interface Connection {
  /** The response to the request that came last, until it ends. */
  last: ServerResponse | undefined;
  /** How many bytes had been read when that ended: more mean that the next request has begun. */
  idleAt: number;
  /** The response that was a held poll when the connection was last read. */
  held?: ServerResponse;
  /** Of one that is HTTP no longer: when the close frame of its WebSocket was seen to be sent; 0 before. */
  closedAt?: number;
}

/** The connections of a server: how to end them without losing a request. Nothing of a connection is kept after it closes. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Map<Socket, Connection>();
  readonly #sessions = new Set<ServerHttp2Session>();
  #state: 'serving' | 'leaving' | 'closing' | 'released' = 'serving';
  readonly #restore: () => void;

  constructor(server: Server) {
    this.#server = server;
    const secure = server.listenerCount('secureConnection') > 0;
    // Without TLS, a server speaks either HTTP/1 or HTTP/2.
    const opened = secure ? 'secureConnection' : 'closeIdleConnections' in server ? 'connection' : undefined;
    const emitter: NodeServer = server;
    const emit = emitter.emit.bind(server);
    // A listener would not see the requests that lifesign answers itself.
    this.#restore = replace(emitter, 'emit', (event, ...args) => {
      if (this.#state !== 'released') this.#note(opened, event, args[0], args[1]);
      return emit(event, ...args);
    });
  }

  release(): void {
    this.#state = 'released';
    this.#restore();
  }

  #note(opened: string | undefined, event: string | symbol, first: unknown, second: unknown): void {
    if (requestEvents.has(event)) {
      if (second instanceof ServerResponse) this.#noteRequest(second);
    } else if (event === opened && first instanceof Socket) {
      if (!speaksHttp2(first)) this.#connectionOf(first);
    } else if (event === 'upgrade' && second instanceof Socket) this.#connectionOf(second).closedAt ??= 0;
    else if (event === 'session' && isSession(first)) this.#noteSession(first);
    else if (event === 'stream' && isObject(first) && 'session' in first && isSession(first.session))
      this.#noteStream(first.session);
  }

  /** From now on each answer is the last of its connection: clients send their next request over a new one. */
  sendAway(): void {
    this.#state = 'leaving';
    for (const { last } of this.#open.values()) if (last !== undefined) sayClose(last);
    for (const session of this.#sessions) sendAway(session);
  }

  /**
   * Closes the server, and calls `onlyEndless` once all that is left can be ended only by the application. Returns the name of the connections that
   * were cut, if any were, after `limit` milliseconds or once `hurry` is fulfilled.
   */
  async close(limit: number, hurry: Promise<void>, onlyEndless: () => void): Promise<string | undefined> {
    const start = performance.now();
    this.#state = 'closing';
    // As `net` does it: `close` of node:http also destroys connections whose answer has been made and is still on its way.
    // A server that never listened or is closed already calls back too, with an error.
    const closed = new Promise<boolean>((resolve) => {
      NetServer.prototype.close.call(this.#server, () => resolve(true));
    });
    for (const session of this.#sessions) session.close();
    // Again and again: connections become idle later, and nothing else would close them.
    const poll = () => {
      if (this.#endSome(performance.now() - start, limit)) onlyEndless();
    };
    const first = setImmediate(poll);
    const polling = setInterval(poll, period);
    // Idle connections may close by themselves even then.
    const hurried = hurry.then(() => new Promise<boolean>((resolve) => setTimeout(resolve, period, false)));
    const ended = await within(Promise.race([closed, hurried]), limit, false);
    clearImmediate(first);
    clearInterval(polling);
    return ended ? undefined : this.#cut();
  }

  /** Ends connections that lose nothing. Whether only the application can end the others. */
  #endSome(waited: number, limit: number): boolean {
    // Connections that came before this watched the server, and are idle.
    if (this.#open.size === 0 && 'closeIdleConnections' in this.#server) this.#server.closeIdleConnections();
    let areEndless = this.#open.size > 0 && this.#sessions.size === 0;
    for (const [socket, connection] of this.#open) {
      const { last, idleAt, held } = connection;
      let isEndless = false;
      if (connection.closedAt !== undefined)
        isEndless = !endWebSocket(socket, connection, waited > limit / 2);
      else if (last === undefined) {
        if (socket.bytesRead === idleAt) socket.destroy();
      } else if (isHeldPoll(last)) {
        // Not one that is about to be answered.
        if (held === last) socket.destroy();
        connection.held = last;
      } else isEndless = hasNoEnd(last, waited);
      areEndless &&= isEndless;
    }
    return areEndless;
  }

  async #cut(): Promise<string> {
    const connections = [...this.#open.values()];
    const areUpgraded =
      this.#sessions.size === 0 &&
      connections.length > 0 &&
      connections.every(({ closedAt }) => closedAt !== undefined);
    const left = [...this.#open.keys(), ...this.#sessions];
    // Last: by then each of their requests has been logged.
    const gone = left.map((each) => new Promise<void>((resolve) => void each.once('close', resolve)));
    for (const each of left) each.destroy();
    await within(Promise.all(gone), cutTimeout, []);
    return areUpgraded ? 'Upgraded connections' : 'Requests';
  }

  #noteRequest(response: ServerResponse): void {
    const { socket } = response.req;
    const connection = this.#connectionOf(socket);
    if (this.#state !== 'serving') {
      // Pipelined: the answer before this one, if it has not begun, is no longer the last.
      if (connection.last !== undefined) sayNothing(connection.last);
      sayClose(response);
    }
    connection.last = response;
    // One whose end has no event is forgotten with its connection.
    response.on('close', () => {
      if (connection.last !== response) return;
      connection.last = undefined;
      connection.idleAt = socket.bytesRead;
    });
  }

  #noteSession(session: ServerHttp2Session): void {
    if (this.#sessions.has(session)) return;
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
  }

  /** A client that connects while the server leaves gets its answer first, as with HTTP/1. */
  #noteStream(session: ServerHttp2Session): void {
    this.#noteSession(session);
    if (this.#state === 'closing') session.close();
    else if (this.#state === 'leaving') sendAway(session);
  }

  #connectionOf(socket: Socket): Connection {
    const known = this.#open.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = { last: undefined, idleAt: 0 };
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
    return connection;
  }
}

const closing = new WeakSet<ServerResponse>();

function sayClose(response: ServerResponse): void {
  if (response.headersSent) return;
  response.setHeader('Connection', 'close');
  closing.add(response);
}

/** Removes it: after such an answer Node would drop those that wait for their turn. */
function sayNothing(response: ServerResponse): void {
  if (closing.has(response) && !response.headersSent) response.removeHeader('Connection');
}

function speaksHttp2(socket: Socket): boolean {
  return 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
}

/** Of HTTP/2: more streams than a client can ever open. */
const allStreams = 2 ** 31 - 1;
const noError = 0;

/** The client opens its next stream elsewhere; those that are on their way are still answered. */
function sendAway(session: ServerHttp2Session): void {
  if (!session.destroyed) session.goaway(noError, allStreams);
}

function isSession(value: unknown): value is ServerHttp2Session {
  return isObject(value) && 'goaway' in value && 'close' in value;
}

/** "Going away", of RFC 6455: clients that reconnect by themselves do so for it. */
const goingAway = 1001;
const open = 1;
const closed = 3;
/** How long a client may take to answer the close frame that it got, in milliseconds. */
const closeTimeout = 2000;

interface WebSocketLike {
  readonly readyState: number;
  /** Bytes that have been written and not sent. */
  readonly bufferedAmount: number;
  readonly close: (code: number, reason: string) => void;
}

/**
 * Closes a WebSocket of `ws` after its last message; others are their application's. Whether it is one. socket.io keeps messages back while the
 * connection is full, so it waits until that is empty; with `now` no longer.
 */
function endWebSocket(socket: Socket, connection: Connection, now: boolean): boolean {
  const webSocket = webSocketOf(socket);
  if (webSocket === undefined) return false;
  const { readyState, bufferedAmount } = webSocket;
  // Through the library: a frame written by us could come into the middle of one of its own.
  if (readyState === open) {
    // A class of the application's may throw: its connection is cut with the rest, later.
    if (now || bufferedAmount === 0) attempt(() => webSocket.close(goingAway, 'going away'));
  } else if (readyState < closed && bufferedAmount === 0) {
    connection.closedAt ||= performance.now();
    if (performance.now() - connection.closedAt > closeTimeout) socket.destroy();
  }
  return true;
}

/** `ws` keeps it on the socket it took over, also for socket.io, @fastify/websocket, Nest's gateways and graphql-ws, which use it. */
function webSocketOf(socket: Socket): WebSocketLike | undefined {
  for (const key of Object.getOwnPropertySymbols(socket)) {
    if (key.description !== 'websocket') continue;
    const value: unknown = Reflect.get(socket, key);
    if (isWebSocket(value)) return value;
  }
  return undefined;
}

function isWebSocket(value: unknown): value is WebSocketLike {
  if (!isObject(value)) return false;
  const { readyState, bufferedAmount, close }: Partial<WebSocketLike> = value;
  return typeof readyState === 'number' && typeof bufferedAmount === 'number' && typeof close === 'function';
}

/**
 * Whether a response is socket.io's to a client that polls: it is held back until there is a message for it, so that nothing
 * has been sent and its end loses nothing. The client reconnects.
 */
function isHeldPoll(response: ServerResponse): boolean {
  if (response.headersSent) return false;
  const { req }: { req: IncomingMessage & { _query?: unknown; cleanup?: unknown } } = response;
  const { _query: query } = req;
  return (
    req.method === 'GET' &&
    typeof req.cleanup === 'function' &&
    isObject(query) &&
    'transport' in query &&
    query.transport === 'polling'
  );
}

/** Milliseconds after which a response of unknown length that is still being written counts as endless. */
const unending = 2000;
const eventStream = /^content-type:[ \t]*(?:text\/event-stream|multipart\/x-mixed-replace)/im;
const knownLength = /^content-length:/im;

/**
 * Whether only the application can end a response: an event stream, or a response of unknown length that it is still writing
 * `waited` milliseconds after the server stopped accepting connections.
 */
function hasNoEnd(response: ServerResponse, waited: number): boolean {
  if (!response.headersSent || response.writableEnded) return false;
  const head = headOf(response);
  return eventStream.test(head) || (waited >= unending && !knownLength.test(head));
}

/** Headers that were only passed to `writeHead` are in the head that Node wrote, and not in `getHeaders`. */
function headOf(response: ServerResponse): string {
  const written: unknown = Reflect.get(response, '_header');
  return typeof written === 'string' ? written : '';
}
