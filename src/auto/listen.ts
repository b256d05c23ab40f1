import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';

/** Gives a server its Health. Returns whether it has one. */
export type Attach = (server: Server) => boolean;

/** The same in all copies of the package: http/health-port.ts sets it, and is not loaded for this. */
const ownServer = Symbol.for('lifesign.server.1');
/** The same: probes/index.ts reads it. */
const startingKey = Symbol.for('lifesign.starting.1');

/**
 * Calls `attach` for every server of node:http, https and http2 when it begins to listen: before its first connection, and once its address is
 * known. `load` is called for the first of them.
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
    // Read now: Jest sets its variable after the preloads.
    const reason =
      testRunner() ??
      reasonToLeave(where, served) ??
      (isStreamsOnly(this) ? 'it handles streams, not requests' : undefined);
    if (reason !== undefined) return debug('ignored: %s:%d, %s', where.address, where.port, reason);
    try {
      if (load()(this)) served.add(where.port);
    } catch (thrown) {
      // An error of ours must not keep a service from starting.
      process.stderr.write(`lifesign/auto: ${String(thrown).split('\n', 1).join()}\n`);
    }
    debug('%s: %s:%d', served.has(where.port) ? 'served' : 'ignored', where.address, where.port);
  }

  Reflect.set(
    NetServer.prototype,
    'listen',
    function listenWatched(this: Server, ...args: readonly unknown[]) {
      // Servers of HTTP have timeouts; servers of net and tls have none.
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
      const end = () => void starting.delete(returned);
      // Not `then`: a rejection stays unhandled.
      void returned.finally(() => {
        const registering = registeringNext();
        if (registering === undefined) end();
        // After a `register()` that fails, Next.js answers every request with 500.
        else registering.then(end, () => {});
      });
    }
    return listeners.length > 0;
  };
  Reflect.set(server, 'emit', following);
}

/** Next.js awaits it before it answers a request, but not before it says that it is ready: `register()` of `instrumentation.js`. */
function registeringNext(): Promise<unknown> | undefined {
  const { createRequire } = process.getBuiltinModule('node:module');
  const { cache } = createRequire(process.execPath);
  const loaded = (end: RegExp) => Object.keys(cache).find((file) => end.test(file));
  const hook = loaded(/[\\/]server[\\/]instrumentation\.js$/);
  const next = loaded(/[\\/]instrumentation-globals\.external\.js$/);
  if (hook === undefined || next === undefined) return undefined;
  // Next.js has called it for this file: it returns the same promise.
  const registering: unknown = cache[next]?.exports?.ensureInstrumentationRegistered?.(
    join(hook, '../..'),
    '',
  );
  return registering instanceof Promise ? registering : undefined;
}

/** An HTTP/2 server that uses streams, as for gRPC, gets no `request` event. */
function isStreamsOnly(server: Server): boolean {
  return server.listenerCount('request') === 0 && server.listenerCount('stream') > 0;
}

/** Why a server gets no Health; undefined if it gets one. `served`: the ports of servers that have one. */
function reasonToLeave({ address, port }: AddressInfo, served: ReadonlySet<number>): string | undefined {
  const { HEALTH_AUTO_PORT, PORT } = process.env;
  const chosen = parsePort(HEALTH_AUTO_PORT);
  const required = chosen ?? parsePort(PORT);
  if (required !== undefined) {
    if (port === required) return undefined;
    return `${chosen === undefined ? 'PORT' : 'HEALTH_AUTO_PORT'} is ${required}`;
  }
  // The first server is the service, wherever it listens; later ones on a loopback address are diagnostics.
  const isLoopback = address === '::1' || /^(?:::ffff:)?127\./.test(address);
  if (!isLoopback || served.size === 0 || served.has(port)) return undefined;
  return 'it listens on a loopback address, and another server has the endpoints';
}

/** The port in a variable: undefined for 0, which is any port, and for anything but a number, such as the pipe of iisnode. */
function parsePort(text = ''): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
}

/** Variables that runners set in the processes that run tests. */
const runners = [
  'JEST_WORKER_ID',
  'VITEST',
  'NODE_TEST_CONTEXT',
  'MOCHA_WORKER_ID',
  'AVA_PATH',
  'TAP',
  'TAP_CHILD_ID',
  'PLAYWRIGHT_TEST',
  'TEST_WORKER_INDEX',
  'CUCUMBER_WORKER_ID',
];
const runnerScript =
  /[/\\]node_modules[/\\](?:\.bin[/\\](?:jest|vitest|_?mocha|ava|tape|tap|jasmine|uvu|qunit|lab|playwright|cucumber-js|ts-mocha)|(?:jest|jest-cli|vitest|mocha|ava|tape|tap|jasmine|uvu|qunit|ts-mocha|playwright|@tapjs[/\\]run|@hapi[/\\]lab|@playwright[/\\]test|@cucumber[/\\]cucumber)[/\\].+)$/;

/** The test runner that started this process; undefined without one, or if `HEALTH_AUTO=true` turns lifesign on anyway. */
function testRunner(): string | undefined {
  const { env, argv, execArgv } = process;
  if (/^(?:true|1)$/i.test(env['HEALTH_AUTO'] ?? '')) return undefined;
  const variable = runners.find((name) => (env[name] ?? '') !== '');
  if (variable !== undefined) return `${variable} is set`;
  if (execArgv.includes('--test')) return 'node --test runs it';
  const [, started = ''] = argv;
  return runnerScript.test(started) ? `${started} runs it` : undefined;
}
