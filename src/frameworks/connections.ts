import { type Server as HttpServer, ServerResponse } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import { Socket } from 'node:net';
import { within } from '../core/deadlines.js';
import type { NodeServer } from './node-http.js';

/** A server of node:http or https. */
export type Server = HttpServer | HttpsServer;

/** How often connections that have become idle are looked for while a server closes, in milliseconds. */
const period = 50;

/** The connections of a server: how to end them without losing a request. */
export class Connections {
  readonly #server: Server;
  readonly #underway = new Set<ServerResponse>();
  /** Connections that never carried a request: browsers and proxies open them in advance. Node does not count them as idle. */
  readonly #unused = new Set<Socket>();
  readonly #stopWatching: () => void;
  #leaving = false;

  constructor(server: Server) {
    this.#server = server;
    const opened = server.listenerCount('secureConnection') > 0 ? 'secureConnection' : 'connection';
    this.#stopWatching = watchEvents(server, (event, first, second) => {
      if (event === 'request' && second instanceof ServerResponse) this.#noteRequest(second);
      else if (event === opened && first instanceof Socket) this.#noteConnection(first);
    });
  }

  /** From now on each answer is the last of its connection: clients send their next request over a new one. */
  sendAway(): void {
    this.#leaving = true;
    for (const response of this.#underway) sendAway(response);
  }

  /** Closes the server. Whether all connections ended by themselves; what is left after `limit` milliseconds is cut. */
  async close(limit: number): Promise<boolean> {
    // A server that never listened or is closed already calls back too, with an error.
    const closed = new Promise<boolean>((resolve) => void this.#server.close(() => resolve(true)));
    const idle = setInterval(() => {
      // Those whose answer had begun before the signal become idle later, and nothing else would close them.
      this.#server.closeIdleConnections();
      for (const socket of this.#unused) if (socket.bytesRead === 0) socket.destroy();
    }, period);
    const ended = await within(closed, limit, false);
    clearInterval(idle);
    if (!ended) this.#server.closeAllConnections();
    return ended;
  }

  /** Watches no more. */
  release(): void {
    this.#stopWatching();
  }

  #noteRequest(response: ServerResponse): void {
    if (this.#leaving) sendAway(response);
    this.#underway.add(response);
    response.once('close', () => this.#underway.delete(response));
    if (response.socket !== null) this.#unused.delete(response.socket);
  }

  #noteConnection(socket: Socket): void {
    this.#unused.add(socket);
    socket.once('close', () => this.#unused.delete(socket));
  }
}

function sendAway(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

type Watch = (event: string | symbol, first: unknown, second: unknown) => void;

/** Tells of a server's events before they happen; a listener would not see the requests that lifesign answers itself. */
function watchEvents(server: NodeServer, watch: Watch): () => void {
  const emit = server.emit.bind(server);
  const watched: NodeServer['emit'] = (event, ...args) => {
    watch(event, args[0], args[1]);
    return emit(event, ...args);
  };
  server.emit = watched;
  return () => {
    if (server.emit === watched) server.emit = emit;
  };
}
