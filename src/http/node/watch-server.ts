import { clientLeft } from '../../core/endpoints.js';
import type { Engine } from '../../core/engine.js';
import { replace } from '../../core/replace.js';
import { runInRequest } from '../../core/request/request.js';
import { mayTrace, untraced } from '../../core/request/trace.js';
import { type RequestStart, requestStarts } from '../../core/runtime.js';
import { shared } from '../../core/shared.js';
import { begin } from './begin.js';
import { Exchange, exchangeOf, type Reporter } from './exchange.js';
import { type Connection, onFirstWrite } from './first-write.js';
import { adviseKeepAlive, keepConnections, type KeepingHealth } from './keep-alive.js';
import type { NodeRequest, NodeResponse } from './request.js';
import { noteRefused, type RefusedConnection } from './refused.js';
import { isObject } from '../../core/objects.js';

/** A server of node:http, https or http2. */
export interface NodeServer {
  emit(event: string | symbol, ...args: readonly unknown[]): boolean;
}

/** The part of a Health that watching a server needs. */
export type Watching = Reporter &
  KeepingHealth & {
    match(target: string): unknown;
    readonly onServer?: ((server: object, first?: object) => void) | undefined;
  };

/** Which Health logs requests of a server that no Health serves. */
const watched = /* @__PURE__ */ shared('watched', () => new WeakMap<object, Reporter>());
/** Healths whose applications run on servers of node:http. */
const onNode = /* @__PURE__ */ shared('onNode', () => new WeakSet<object>());

/**
 * Makes sure that each request of a server has its summary, also those that never reach the application: upgrades, requests that Node
 * refuses, and those of other listeners, such as socket.io's. A server that closes is released, unless the
 * Health was made for it.
 */
export function watchServer(
  health: Watching,
  server: NodeServer,
  untilClosed = true,
  first?: NodeResponse,
): void {
  if (health.closed || watched.has(server)) return;
  health.onServer?.(server, first);
  const giveTimeoutsBack = keepConnections(health, server);
  adviseKeepAlive(health, server);
  const { tracks } = health;
  if (!tracks && !mayTrace()) return;
  watched.set(server, health);
  watchStarts();
  // oxlint-disable-next-line typescript/unbound-method -- it is bound, or applied to the server
  const { emit: own } = server;
  const emit = own.bind(server);
  const watching: NodeServer['emit'] = (event, ...args) => {
    if (health.closed) return emit(event, ...args);
    if (event === 'close' && untilClosed) release();
    if (isExchange(event, args)) {
      const [req, res] = args;
      const { url = '' } = req;
      const traced = mayTrace();
      if (tracks) {
        if (traced) followSpans(server);
        if (exchangeOf(req) === undefined) begin(health, req, res, url);
      }
      if (traced && health.match(url) !== undefined)
        return Reflect.apply(untraced(own), server, [event, ...args]);
    } else if (!tracks) {
      return emit(event, ...args);
    } else if (isUpgrade(event, args)) {
      return upgrading(health, args[0], args[1], () => emit(event, ...args));
    } else if (isRefusal(event, args)) {
      noteRefused(health, args[0], args[1]);
    }
    return emit(event, ...args);
  };
  const giveBack = replace(server, 'emit', watching);
  const release = () => {
    giveBack();
    giveTimeoutsBack();
    forgetSpans(server);
    if (watched.delete(server)) unwatchStarts();
    forget();
  };
  const forget = health.onClose(release);
}

/** The same for the server that a request came to, if the framework has not named it. */
export function watchServerOf(health: Watching, req: NodeRequest, res?: NodeResponse): void {
  const { socket }: { socket?: object } = req;
  if (socket !== undefined && 'server' in socket && isServer(socket.server))
    watchServer(health, socket.server, true, res);
}

/** The same for the server that `app.listen()` makes. */
export function watchListen(health: Watching, app: object): void {
  onNode.add(health);
  if (!canListen(app)) return;
  const { listen } = app;
  const listening = function (this: unknown, ...args: readonly unknown[]): unknown {
    const server: unknown = Reflect.apply(listen, this, args);
    if (isServer(server)) watchServer(health, server);
    return server;
  };
  health.onClose(replace(app, 'listen', listening));
}

/** Refuses groups and options of checks which are not registered when the application, or its server, is to listen. */
export function requireChecksBeforeListen<Request>(engine: Engine<Request>, app: object): void {
  const { groups, checkOptions } = engine.options;
  if (Object.keys(groups).length + Object.keys(checkOptions).length === 0) return;
  if (!canListen(app)) return;
  const { listen } = app;
  const listening = function (this: unknown, ...args: readonly unknown[]): unknown {
    if (!engine.closed) engine.requireKnownChecks();
    return Reflect.apply(listen, this, args);
  };
  engine.onClose(replace(app, 'listen', listening));
}

/** Whether an application, or a server, can listen. */
function canListen(app: object): app is { listen: (...args: readonly unknown[]) => unknown } {
  return 'listen' in app && typeof app.listen === 'function';
}

/** The same for a server that drains; other Healths than those of node:http see their requests themselves. */
export function watchDrained(health: Watching, server: NodeServer): void {
  if (onNode.has(health)) watchServer(health, server);
}

/** An upgrade, usually a WebSocket: the status code is in the first bytes that the application's listener writes. */
function upgrading(health: Reporter, req: NodeRequest, connection: Connection, emit: () => boolean): boolean {
  const { url = '' } = req;
  const exchange = new Exchange(health, req, url);
  onFirstWrite(connection, (code) =>
    exchange.finish({ code: code ?? clientLeft, complete: code !== undefined }),
  );
  return runInRequest(exchange, emit);
}

/** How many servers are watched. */
let subscribers = 0;

/**
 * Node emits no event for a request without a `Host`, with an expectation that it does not know, or beyond the limit of its
 * connection: it answers by itself. This channel has them all.
 */
function watchStarts(): void {
  subscribers += 1;
  if (subscribers === 1) requestStarts()?.subscribe(onStart);
}

function unwatchStarts(): void {
  subscribers -= 1;
  if (subscribers === 0) requestStarts()?.unsubscribe(onStart);
}

function onStart(message: unknown): void {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- Node's channel, which is typed as unknown
  const { request, response, server } = message as RequestStart;
  const { headers, url = '' } = request;
  const { host: asked, expect } = headers;
  const limited = (server.maxRequestsPerSocket ?? 0) > 0;
  if (asked !== undefined && expect === undefined && !limited) return;
  const health = watched.get(server);
  if (health !== undefined) begin(health, request, response, url);
}

/** Whether an event is a request with its response. */
export function isExchange<Request extends NodeRequest>(
  event: string | symbol,
  args: readonly unknown[],
): args is [Request, NodeResponse] {
  if (args.length !== 2) return false;
  return event === 'request' || event === 'checkContinue' || event === 'checkExpectation';
}

function isUpgrade(
  event: string | symbol,
  args: readonly unknown[],
): args is [NodeRequest, Connection, unknown] {
  return args.length === 3 && (event === 'upgrade' || event === 'connect');
}

function isRefusal(event: string | symbol, args: readonly unknown[]): args is [unknown, RefusedConnection] {
  return args.length === 2 && event === 'clientError';
}

function isServer(value: unknown): value is NodeServer {
  return isObject(value) && 'emit' in value && typeof value.emit === 'function';
}

/** Servers that have the listener. */
const followed = new WeakSet<object>();

/**
 * The instrumentation of OpenTelemetry opens the span of a request below `emit`, after us: the first listener for requests
 * is the first to be inside of it. Only if OpenTelemetry is in the process, which may be loaded later than the server.
 */
export function followSpans(server: object): void {
  if (!mayTrace() || followed.has(server)) return;
  followed.add(server);
  if ('prependListener' in server && typeof server.prependListener === 'function') {
    server.prependListener('request', noteTrace);
  }
}

/** Takes the listener away. */
function forgetSpans(server: object): void {
  if (!followed.delete(server)) return;
  if ('removeListener' in server && typeof server.removeListener === 'function') {
    server.removeListener('request', noteTrace);
  }
}

function noteTrace(req: NodeRequest): void {
  exchangeOf(req)?.lookForTrace();
}
