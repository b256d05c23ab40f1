import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isObject } from '../../core/objects.js';

/** "Going away", of RFC 6455: clients that reconnect by themselves do so for it. */
const goingAway = 1001;
const open = 1;
const closed = 3;
/** How long a client may take to answer the close frame that it got, in milliseconds. */
const closeTimeout = 2000;

/** The WebSocket of `ws`. */
interface WebSocketLike {
  readonly readyState: number;
  /** Bytes that have been written and not sent. */
  readonly bufferedAmount: number;
  close(code: number, reason: string): void;
}

/** The connections of a server that are HTTP no longer. Those of `ws` can be asked to close; others are their application's. */
export class Upgraded {
  /** When the close frame was seen to be sent; 0 before. */
  readonly #open = new Map<Socket, number>();

  note(socket: Socket): void {
    if (this.#open.has(socket)) return;
    this.#open.set(socket, 0);
    socket.once('close', () => this.#open.delete(socket));
  }

  has(socket: Socket): boolean {
    return this.#open.has(socket);
  }

  /** Whether it is a WebSocket, which ends by itself: `close` asks it to. */
  isClosing(socket: Socket): boolean {
    return webSocketOf(socket) !== undefined;
  }

  /**
   * Closes each WebSocket after its last message: tried again and again, each time outside of any other code.
   * socket.io keeps messages back while the connection is full, so it waits until that is empty; with `now` no longer.
   */
  close(now: boolean): void {
    for (const [socket, sentAt] of this.#open) {
      const webSocket = webSocketOf(socket);
      // By asking the library: a frame written by us could come into the middle of one of its own.
      if (webSocket?.readyState === open) {
        if (now || webSocket.bufferedAmount === 0) closeSafely(webSocket);
      } else if (webSocket !== undefined && webSocket.readyState < closed && webSocket.bufferedAmount === 0) {
        if (sentAt === 0) this.#open.set(socket, performance.now());
        else if (performance.now() - sentAt > closeTimeout) socket.destroy();
      }
    }
  }
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
  return (
    isObject(value) &&
    'readyState' in value &&
    typeof value.readyState === 'number' &&
    'bufferedAmount' in value &&
    typeof value.bufferedAmount === 'number' &&
    'close' in value &&
    typeof value.close === 'function'
  );
}

/** A class of the application's may throw: its connection is cut with the rest, later. */
function closeSafely(webSocket: WebSocketLike): void {
  try {
    webSocket.close(goingAway, 'going away');
  } catch {
    // Nothing more can be done for it.
  }
}

/**
 * Whether a response is socket.io's to a client that polls: it is held back until there is a message for it, so that nothing
 * has been sent and its end loses nothing. The client reconnects.
 */
export function isHeldPoll(response: ServerResponse): boolean {
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
