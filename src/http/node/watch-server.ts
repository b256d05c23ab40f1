import { clientLeft } from '../../core/endpoints.js';
import { levels } from '../../core/heartbeat/messages.js';
import { isObject } from '../../core/objects.js';
import { replace } from '../../core/replace.js';
import { mayTrace, runInRequest, untraced } from '../../core/request/request.js';
import { environment, shared } from '../../core/runtime.js';
import {
  begin,
  Exchange,
  exchangeOf,
  type HealthOnNode,
  type NodeRequest,
  type NodeResponse,
} from './exchange.js';

/** A server of node:http, https or http2, or what a framework has in its place. */
export interface NodeServer {
  emit(event: string | symbol, ...args: readonly unknown[]): boolean;
}

function hasEvents(value: unknown): value is NodeServer {
  return isObject(value) && 'emit' in value && typeof value.emit === 'function';
}

/** The servers that are watched: the first Health of a server has its requests. */
const watched = /* @__PURE__ */ shared('watched', () => new WeakSet<object>());

/** The events of a server that have a request and its response. */
export const requestEvents: ReadonlySet<string | symbol> = new Set([
  'request',
  'checkContinue',
  'checkExpectation',
]);

/** Answers a request, or passes it on. */
type Serve = (event: string | symbol, req: NodeRequest, res: NodeResponse) => void;

/**
 * Makes sure that each request of a server has its summary, also those that never reach the application: upgrades, and requests of other
 * listeners, such as socket.io's. A server that closes is released, unless the Health was made for it and serves its requests.
 */
export function watchServer(health: HealthOnNode, server: Listening, serve?: Serve): void {
  if (health.closed) return;
  const isFound = !watched.has(server);
  if (isFound) health.onServer?.(server);
  const restoreTimeouts = isFound ? keepConnections(health, server) : undefined;
  if (isFound) adviseKeepAlive(health, server);
  const { tracks } = health;
  const watches = isFound && (tracks || mayTrace());
  if (!watches && serve === undefined) return;
  if (watches) watched.add(server);
  // oxlint-disable-next-line typescript/unbound-method -- it is bound, or applied to the server
  const { emit: own } = server;
  const emit = own.bind(server);
  const watching: NodeServer['emit'] = (event, ...args) => {
    if (health.closed) return emit(event, ...args);
    if (event === 'close' && serve === undefined) release();
    if (requestEvents.has(event)) {
      // oxlint-disable-next-line typescript/consistent-type-assertions -- what Node emits with these events
      const [req, res] = args as [NodeRequest, NodeResponse];
      const traced = mayTrace();
      if (traced && (tracks || serve !== undefined)) followSpans(server);
      if (serve !== undefined) {
        serve(event, req, res);
        return true;
      }
      const { url = '' } = req;
      if (tracks && exchangeOf(req) === undefined) begin(health, req, res, url);
      if (traced && health.match(url) !== undefined)
        return Reflect.apply(untraced(own), server, [event, ...args]);
    } else if (tracks && watches && args.length === 3 && (event === 'upgrade' || event === 'connect')) {
      // oxlint-disable-next-line typescript/consistent-type-assertions -- what Node emits with these events
      const [req, connection] = args as [NodeRequest, Connection];
      return upgrading(health, req, connection, () => emit(event, ...args));
    }
    return emit(event, ...args);
  };
  const restore = replace(server, 'emit', watching);
  const release = () => {
    restore();
    restoreTimeouts?.();
    if (followed.delete(server)) server.removeListener?.('request', noteTrace);
    if (watches) watched.delete(server);
    forget();
  };
  const forget = health.onClose(release);
}

/** The same for the server that a request came to, if the framework has not named it. */
export function watchServerOf(health: HealthOnNode, req: NodeRequest): void {
  const { socket }: { socket?: object } = req;
  if (socket !== undefined && 'server' in socket && hasEvents(socket.server))
    watchServer(health, socket.server);
}

/**
 * The same for the server that `app.listen()` makes. Groups and options of checks which are not registered are refused before an application, or
 * a server, listens.
 */
export function watchListen(health: HealthOnNode, app: object, watches = true): void {
  const { groups, checkOptions } = health.options;
  const asks = Object.keys(groups).length + Object.keys(checkOptions).length > 0;
  if ((!watches && !asks) || !canListen(app)) return;
  const { listen } = app;
  const listening = function (this: unknown, ...args: readonly unknown[]): unknown {
    if (asks && !health.closed) health.requireKnownChecks();
    const server: unknown = Reflect.apply(listen, this, args);
    if (watches && hasEvents(server)) watchServer(health, server);
    return server;
  };
  health.onClose(replace(app, 'listen', listening));
}

function canListen(app: object): app is { listen: (...args: readonly unknown[]) => unknown } {
  return 'listen' in app && typeof app.listen === 'function';
}

/** An upgrade, usually a WebSocket: the status code is in the first bytes that the application's listener writes. */
function upgrading(
  health: HealthOnNode,
  req: NodeRequest,
  connection: Connection,
  emit: () => boolean,
): boolean {
  const { url = '' } = req;
  const exchange = new Exchange(health, req, url);
  const finish = (code?: number) => {
    for (const restore of replaced) restore();
    exchange.finish(code ?? clientLeft, code !== undefined);
  };
  const replaced = (['write', 'end'] as const).map((name) => {
    const { [name]: original } = connection;
    return replace(connection, name, (...args: readonly unknown[]) => {
      finish(statusCodeOf(args[0]));
      return Reflect.apply(original, connection, args);
    });
  });
  connection.once('close', () => finish());
  return runInRequest(exchange, emit);
}

interface Connection {
  write(...args: readonly unknown[]): unknown;
  end(...args: readonly unknown[]): unknown;
  once(event: 'close', listener: () => void): unknown;
}

function statusCodeOf(bytes: unknown): number | undefined {
  const text = bytes instanceof Uint8Array ? new TextDecoder().decode(bytes.subarray(0, 20)) : bytes;
  const code = typeof text === 'string' ? /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] : undefined;
  return code === undefined ? undefined : Number(code);
}

/** Methods of a server of Node that another object in its place may lack. */
interface Listening extends NodeServer {
  prependListener?(event: 'request', listener: (req: NodeRequest) => void): unknown;
  removeListener?(event: 'request', listener: (req: NodeRequest) => void): unknown;
}

const followed = new WeakSet<object>();

/**
 * The instrumentation of OpenTelemetry opens the span of a request below `emit`, after us: the first listener for requests
 * is the first to be inside of it. Only if OpenTelemetry is in the process, which may be loaded later than the server.
 */
function followSpans(server: Listening): void {
  if (followed.has(server)) return;
  followed.add(server);
  server.prependListener?.('request', noteTrace);
}

function noteTrace(req: NodeRequest): void {
  exchangeOf(req)?.lookForTrace();
}

/** The timeouts of a server of HTTP/1; one that speaks only HTTP/2 has none of them. */
interface Timeouts {
  keepAliveTimeout?: number;
  headersTimeout?: number;
  readonly requestTimeout?: number;
}

/** Sets how long a server keeps an idle connection, if the option is set; returns a function that undoes it. */
function keepConnections(health: HealthOnNode, server: object & Timeouts): (() => void) | undefined {
  const { keepAliveTimeout: idleBefore, headersTimeout: headersBefore = 0, requestTimeout = 0 } = server;
  const { keepAlive: idle } = health.options;
  if (idleBefore === undefined || idle === undefined) return undefined;
  // A new connection that is idle counts as one whose headers are late; 0 means no limit. Node swaps it with requestTimeout if it is longer.
  const needed = Math.min(idle + 1000, requestTimeout || Infinity);
  const headers = headersBefore === 0 ? 0 : Math.max(headersBefore, needed);
  server.keepAliveTimeout = idle;
  server.headersTimeout = headers;
  return () => {
    // A value that the application has set since stays.
    if (server.keepAliveTimeout === idle) server.keepAliveTimeout = idleBefore;
    if (server.headersTimeout === headers) server.headersTimeout = headersBefore;
  };
}

/** Applications set their timeouts after they have started to listen. */
const settled = 1000;
/** The idle timeout of AWS' load balancers and of nginx; most others keep connections for longer. */
const usualIdle = 60_000;
let isAdviceGiven = false;

/** Logs once per process, in production, that a server closes idle connections before a load balancer does. */
function adviseKeepAlive(health: HealthOnNode, server: object & Timeouts): void {
  const { NODE_ENV } = environment();
  if (NODE_ENV !== 'production' || isAdviceGiven || health.options.keepAlive !== undefined) return;
  const timer = setTimeout(() => {
    forget();
    const { keepAliveTimeout: idle = 0 } = server;
    // 0 means that Node never closes them.
    if (isAdviceGiven || idle === 0 || idle > usualIdle) return;
    isAdviceGiven = true;
    const msg = `The server closes an idle connection after ${idle / 1000} s, and load balancers use it for ${usualIdle / 1000} s or longer: a request that meets a closed one fails with 502. If one is in front of this service, set keepAlive above its idle timeout, such as '65s' (HEALTH_KEEP_ALIVE=65s).`;
    health.say(levels.info, msg);
  }, settled).unref();
  const forget = health.onClose(() => clearTimeout(timer));
}
