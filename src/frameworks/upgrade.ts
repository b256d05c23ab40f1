import { clientLeft } from '../core/endpoints.js';
import type { HealthCore } from '../core/health.js';
import { RequestContext, runInRequest } from '../core/request.js';
import { shared } from '../core/shared.js';
import { headerOf, type NodeRequest, summaryOf } from './node-request.js';

/** A server of node:http, https or http2. */
export interface NodeServer {
  emit(event: string | symbol, ...args: readonly unknown[]): boolean;
}

/** What is used of the connection that an upgrade hands over. */
interface Connection {
  write(...args: readonly unknown[]): unknown;
  end(...args: readonly unknown[]): unknown;
  once(event: 'close', listener: () => void): unknown;
}

const watched = /* @__PURE__ */ shared('watched', () => new WeakSet<object>());

/**
 * Logs a summary for each upgrade of a server, a WebSocket mostly: such requests go past every framework.
 * Its status code is what the application's listener writes first.
 */
export function watchUpgrades<Request extends NodeRequest>(
  health: HealthCore<Request>,
  server: NodeServer,
): void {
  if (watched.has(server)) return;
  watched.add(server);
  if (!health.options.summary) return;
  const emit = server.emit.bind(server);
  server.emit = (event, ...args) => {
    if (!isUpgrade<Request>(event, args)) return emit(event, ...args);
    const [req, connection] = args;
    const { requestIdHeaderName, requestContext } = health.options;
    const context = new RequestContext(() => headerOf(req, requestIdHeaderName), requestContext);
    onFirstWrite(connection, (code) =>
      health.summarise(context, summaryOf(req, req.url ?? '', code, code !== clientLeft), req),
    );
    return runInRequest(context, () => emit(event, ...args));
  };
}

/** The same for the server that a request came to, where nobody has told us of it. */
export function watchServerOf<Request extends NodeRequest>(health: HealthCore<Request>, req: Request): void {
  const { socket }: { socket?: object } = req;
  if (socket !== undefined && 'server' in socket && isServer(socket.server))
    watchUpgrades(health, socket.server);
}

/** The same for the server that `app.listen()` makes. */
export function watchListen<Request extends NodeRequest>(health: HealthCore<Request>, app: object): void {
  const listen: unknown = Reflect.get(app, 'listen');
  if (typeof listen !== 'function') return;
  const listening = (...args: readonly unknown[]): unknown => {
    const server: unknown = Reflect.apply(listen, app, args);
    if (isServer(server)) watchUpgrades(health, server);
    return server;
  };
  Reflect.set(app, 'listen', listening);
}

/** Calls `answered` once: with the status code of the first bytes, or when the connection closes without any. */
function onFirstWrite(connection: Connection, answered: (code: number) => void): void {
  const write = connection.write.bind(connection);
  const end = connection.end.bind(connection);
  let open = true;
  const once = (first: unknown) => {
    if (!open) return;
    open = false;
    Object.assign(connection, { write, end });
    answered(statusOf(first));
  };
  connection.write = (...args) => {
    once(args[0]);
    return write(...args);
  };
  connection.end = (...args) => {
    once(args[0]);
    return end(...args);
  };
  connection.once('close', () => once(undefined));
}

function statusOf(bytes: unknown): number {
  const text = bytes instanceof Uint8Array ? new TextDecoder().decode(bytes.subarray(0, 20)) : String(bytes);
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? clientLeft);
}

function isUpgrade<Request>(
  event: string | symbol,
  args: readonly unknown[],
): args is [Request, Connection, unknown] {
  return event === 'upgrade' && args.length === 3;
}

function isServer(value: unknown): value is NodeServer {
  return typeof value === 'object' && value !== null && 'emit' in value && typeof value.emit === 'function';
}
