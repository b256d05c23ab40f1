import { ServerResponse } from 'node:http';
import { Server as NetServer, Socket } from 'node:net';
import { within } from '../../core/deadlines.js';
import { replace } from '../../core/replace.js';
import { isEndless } from './endless.js';
import type { Server } from './is-server.js';
import { isSession, Sessions } from './sessions.js';
import type { NodeServer } from '../node/watch-server.js';
import { isHeldPoll, Upgraded } from './websockets.js';

/** How often connections that have become idle are looked for while a server closes, in milliseconds. */
const period = 50;
/** How long cut connections may take to close, in milliseconds: their requests are logged then. */
const cutTimeout = 1000;

/** Counts the connections left when a server closed: upgraded ones, or requests too. */
export type Cut = 'nothing' | 'upgraded' | 'requests';

/** A connection of HTTP/1. */
interface Connection {
  /** The response to the request that came last, until it ends. */
  last: ServerResponse | undefined;
  /** How many bytes had been read when that ended: more mean that the next request has begun. */
  idleAt: number;
}

/** The connections of a server: how to end them without losing a request. Nothing of a connection is kept after it closes. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Map<Socket, Connection>();
  readonly #sessions = new Sessions();
  readonly #upgraded = new Upgraded();
  readonly #held = new WeakSet<ServerResponse>();
  readonly #stopWatching: () => void;
  #leaving = false;

  constructor(server: Server, first?: object) {
    this.#server = server;
    if (first instanceof ServerResponse && !first.closed) this.#noteRequest(first);
    const secure = server.listenerCount('secureConnection') > 0;
    // Without TLS, a server speaks either HTTP/1 or HTTP/2.
    const opened = secure ? 'secureConnection' : 'closeIdleConnections' in server ? 'connection' : undefined;
    this.#stopWatching = watchEvents(server, (event, first, second) => {
      if (event === 'request' || event === 'checkContinue' || event === 'checkExpectation') {
        if (second instanceof ServerResponse) this.#noteRequest(second);
      } else if (event === opened && first instanceof Socket) {
        if (!speaksHttp2(first)) this.#connectionOf(first);
      } else if (event === 'upgrade' && second instanceof Socket) this.#upgraded.note(second);
      else if (event === 'session' && isSession(first)) this.#sessions.note(first);
      else if (event === 'stream') this.#sessions.noteStream(first);
    });
  }

  /** From now on each answer is the last of its connection: clients send their next request over a new one. */
  sendAway(): void {
    this.#leaving = true;
    for (const { last } of this.#open.values()) if (last !== undefined) sayClose(last);
    this.#sessions.sendAway();
  }

  /**
   * Closes the server, and calls `onlyEndless` once all that is left can be ended only by the application. Returns the counts of cut ones, after
   * `limit` milliseconds or once `hurry` is fulfilled.
   */
  async close(limit: number, hurry: Promise<void>, onlyEndless: () => void): Promise<Cut> {
    const closed = this.#stopAccepting();
    const start = performance.now();
    this.#sessions.close();
    this.#endIdle();
    const look = () => {
      // Those whose answer had begun before the signal become idle later, and nothing else would close them.
      this.#endIdle();
      this.#endPolls();
      // Connections that came before this watched the server, and are idle.
      if (this.#open.size === 0 && 'closeIdleConnections' in this.#server)
        this.#server.closeIdleConnections();
      const waited = performance.now() - start;
      this.#upgraded.close(waited > limit / 2);
      if (this.#isOnlyEndless(waited)) onlyEndless();
    };
    const first = setImmediate(look);
    const looking = setInterval(look, period);
    // Idle connections may close by themselves even then.
    const hurried = hurry.then(() => new Promise<boolean>((resolve) => setTimeout(resolve, period, false)));
    const ended = await within(Promise.race([closed, hurried]), limit, false);
    clearImmediate(first);
    clearInterval(looking);
    const left = [...this.#open.keys(), ...this.#sessions.open];
    if (ended) return 'nothing';
    if (left.length === 0) return (await this.#hasOthers()) ? 'requests' : 'nothing';
    const upgraded = left.every((each) => each instanceof Socket && this.#upgraded.has(each));
    // Last: by then each of their requests has been logged.
    const gone = left.map((each) => new Promise<void>((resolve) => void each.once('close', resolve)));
    for (const each of left) each.destroy();
    await within(Promise.all(gone), cutTimeout, []);
    return upgraded ? 'upgraded' : 'requests';
  }

  /** Watches no more. */
  release(): void {
    this.#stopWatching();
  }

  /**
   * As `net` does it: `close` of node:http also destroys connections whose answer has been made and is still on its way.
   * A server that never listened or is closed already calls back too, with an error.
   */
  #stopAccepting(): Promise<boolean> {
    return new Promise((resolve) => {
      NetServer.prototype.close.call(this.#server, () => resolve(true));
    });
  }

  /** Whether there are connections from before this watched the server. */
  #hasOthers(): Promise<boolean> {
    return new Promise((resolve) => this.#server.getConnections((_error, count) => resolve(count > 0)));
  }

  #endIdle(): void {
    for (const [socket, { last, idleAt }] of this.#open) {
      if (last === undefined && socket.bytesRead === idleAt && !this.#upgraded.has(socket)) socket.destroy();
    }
  }

  /** Those that were held at the last look too: one that is about to be answered is not. */
  #endPolls(): void {
    for (const [socket, { last }] of this.#open) {
      if (last === undefined || !isHeldPoll(last)) continue;
      if (this.#held.has(last)) socket.destroy();
      else this.#held.add(last);
    }
  }

  #isOnlyEndless(waited: number): boolean {
    if (this.#open.size + this.#sessions.open.length === 0) return false;
    for (const [socket, { last }] of this.#open) {
      const endless = this.#upgraded.has(socket)
        ? !this.#upgraded.isClosing(socket)
        : last !== undefined && isEndless(last, waited);
      if (!endless) return false;
    }
    return this.#sessions.isOnlyEndless(waited);
  }

  #noteRequest(response: ServerResponse): void {
    const { socket } = response.req;
    const connection = this.#connectionOf(socket);
    if (this.#leaving) {
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

/** Takes it back: after such an answer Node would drop those that wait for their turn. */
function sayNothing(response: ServerResponse): void {
  if (closing.has(response) && !response.headersSent) response.removeHeader('Connection');
}

function speaksHttp2(socket: Socket): boolean {
  return 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
}

type Watch = (event: string | symbol, first: unknown, second: unknown) => void;

/** Calls back before a server's events; a listener would not see the requests that lifesign answers itself. */
function watchEvents(server: NodeServer, watch: Watch): () => void {
  const emit = server.emit.bind(server);
  let open = true;
  const giveBack = replace(server, 'emit', (event, ...args) => {
    if (open) watch(event, args[0], args[1]);
    return emit(event, ...args);
  });
  return () => {
    open = false;
    giveBack();
  };
}
