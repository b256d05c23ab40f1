import type { Server } from 'node:net';
import { reasonToLeave } from './port.js';
import { testRunner } from './test-runner.js';

/** Gives a server its Health; whether it has one now. */
export type Attach = (server: Server) => boolean;

/** The same in all copies of the package: http/bounded-server.ts sets it, and is not loaded for this. */
const ownServer = Symbol.for('lifesign.server.1');
/** The same: core/starting.ts reads it. */
const startingKey = Symbol.for('lifesign.starting.1');

/**
 * Looks at every server of node:http, https and http2 when it begins to listen, which is before its first connection and shows
 * where it listens, however that was passed. `attach` is loaded by the first server that is to have a Health.
 */
export function watchListen(load: () => Attach): void {
  const { Server: NetServer } = process.getBuiltinModule('node:net');
  const listen: unknown = Reflect.get(NetServer.prototype, 'listen');
  if (typeof listen !== 'function') return;
  const noticed = new WeakSet<Server>();
  const served = new Set<number>();
  const debug = process.getBuiltinModule('node:util').debuglog('lifesign');

  function onListening(this: Server): void {
    const where = this.address();
    if (typeof where !== 'object' || where === null) return debug('ignored: %s is not a TCP port', where);
    // Asked now: Jest sets its variable after the preloads.
    const reason =
      testRunner() ??
      reasonToLeave(where, served) ??
      (isStreamsOnly(this) ? 'it handles streams, not requests' : undefined);
    if (reason !== undefined) return debug('ignored: %s:%d, %s', where.address, where.port, reason);
    try {
      if (load()(this)) served.add(where.port);
    } catch (thrown) {
      // Nothing of ours may keep a service from starting.
      process.stderr.write(`lifesign/auto: ${String(thrown).split('\n', 1).join()}\n`);
    }
    debug('%s: %s:%d', served.has(where.port) ? 'served' : 'ignored', where.address, where.port);
  }

  Reflect.set(
    NetServer.prototype,
    'listen',
    function listenWatched(this: Server, ...args: readonly unknown[]) {
      // Servers of HTTP have timeouts; those of net and tls have none.
      if ('setTimeout' in this && !(ownServer in this) && !noticed.has(this)) {
        noticed.add(this);
        this.prependListener('listening', onListening);
        if (process.title.startsWith('next-server')) followStart(this);
      }
      return Reflect.apply(listen, this, args);
    },
  );
}

/** Next.js listens first and starts then, in its listener for `listening`: `instrumentation.js` and its `watch` run in there. */
function followStart(server: Server): void {
  const own = Object.hasOwn(server, 'emit');
  const emit: unknown = Reflect.get(server, 'emit');
  if (typeof emit !== 'function') return;
  const starting = new Set<object>();
  Reflect.set(globalThis, startingKey, starting);
  const following = (...args: readonly unknown[]): unknown => {
    if (args[0] !== 'listening' || Reflect.get(server, 'emit') !== following)
      return Reflect.apply(emit, server, args);
    if (own) Reflect.set(server, 'emit', emit);
    else Reflect.deleteProperty(server, 'emit');
    const listeners = server.rawListeners('listening');
    for (const listener of listeners) {
      const returned: unknown = Reflect.apply(listener, server, []);
      if (!(returned instanceof Promise)) continue;
      starting.add(returned);
      // Not `then`: a rejection stays unhandled.
      void returned.finally(() => starting.delete(returned));
    }
    return listeners.length > 0;
  };
  Reflect.set(server, 'emit', following);
}

/** An HTTP/2 server that uses streams, as those of gRPC do, gets no `request` event. */
function isStreamsOnly(server: Server): boolean {
  return server.listenerCount('request') === 0 && server.listenerCount('stream') > 0;
}
