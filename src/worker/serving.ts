import { unlinkSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { HealthCore } from '../core/health.js';
import { levels } from '../core/heartbeat/messages.js';
import { LifesignError } from '../core/options/errors.js';
import { sayError, workerListen } from './errors.js';
import type { NodeRequest } from '../http/node/exchange.js';
import { healthServer } from '../http/health-port.js';
import { codeOf, type Places } from './places.js';
import { keepFile } from './pulse.js';
import { isObject } from '../core/objects.js';

/** Where a worker listens. */
export interface Listening {
  readonly host?: string;
  /** The actual port, also if the option is 0. */
  readonly port?: number;
  readonly socket?: string;
  readonly file?: string;
}

/** How long an existing socket may take to show that a process serves it, in milliseconds. */
const socketTimeout = 1000;

/** Shows how a worker is wherever it is asked for: on a port or a socket, or in a file. Keeps no process alive. */
export async function openWorker<FrameworkRequest>(
  health: HealthCore<NodeRequest, FrameworkRequest>,
  { tcp, socket, file }: Places,
  /** Another option to suggest if the port is taken. */
  hint = '',
): Promise<Listening> {
  if (file !== undefined) keepFile(health, file);
  const listening = await (socket === undefined
    ? tcp && serve(health, (server) => listenOnPort(server, tcp, hint))
    : serve(health, (server) => listenOnSocket(server, socket)));
  // There is no server of the application that could listen.
  if (health.options.probes?.startWhen === 'listening') health.started();
  return { ...listening, ...(file !== undefined && { file }) };
}

/** Serves the endpoints; rejects with a coded error, which is also in the log. */
async function serve<FrameworkRequest>(
  health: HealthCore<NodeRequest, FrameworkRequest>,
  listen: (server: Server) => Promise<Listening>,
): Promise<Listening> {
  const server = healthServer(health);
  const early = new Promise<never>((_resolve, reject) => {
    health.onClose(() => {
      server.close();
      server.closeAllConnections();
      reject(new Error('Health was closed before its endpoints were served'));
    });
  });
  try {
    const where = await Promise.race([listen(server), early]);
    const place = where.socket ?? `${where.host}:${where.port}`;
    health.say(levels.info, `Serving the health endpoints on ${place}`);
    return where;
  } catch (thrown) {
    // It may have begun to listen since.
    server.close();
    // A server that the application closed itself is not a failure.
    if (thrown instanceof LifesignError) sayError(health, thrown);
    throw thrown;
  }
}

async function listenOnPort(
  server: Server,
  at: { readonly host: string; readonly port: number },
  hint: string,
): Promise<Listening> {
  try {
    await listen(server, at);
  } catch (thrown) {
    const write =
      codeOf(thrown) === 'EADDRINUSE'
        ? `Another process uses this port: set PORT or the port option to a free one (0 picks one), or use the socket option.${hint && ` ${hint}`}`
        : 'Set HOST and PORT, or the port option, to an address that this process can listen on.';
    throw workerListen(`${at.host}:${at.port}`, codeOf(thrown), write, thrown);
  }
  const address = server.address();
  return { host: at.host, port: isObject(address) ? address.port : at.port };
}

/** A socket that a killed process has left is replaced; one that is served is not. */
async function listenOnSocket(server: Server, path: string): Promise<Listening> {
  try {
    await listen(server, { path }).catch(async (thrown: unknown) => {
      if (codeOf(thrown) !== 'EADDRINUSE' || (await isServed(path))) throw thrown;
      unlinkSync(path);
      await listen(server, { path });
    });
    return { socket: path };
  } catch (thrown) {
    const write =
      codeOf(thrown) === 'EADDRINUSE'
        ? 'Another process uses this socket: stop it, or set the socket option to a different path.'
        : 'Set the socket option, or HEALTH_SOCKET, to a path in a directory that this process can write to.';
    throw workerListen(path, codeOf(thrown), write, thrown);
  }
}

function listen(server: Server, at: { path: string } | { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => {
      server.off('error', reject);
      // Later errors, such as too many open files, must not end the process.
      server.on('error', () => {});
      resolve();
    });
    server.unref();
  });
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (served: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(served);
    };
    // One that takes the connection late is one that is there.
    const timer = setTimeout(end, socketTimeout, true);
    socket.once('connect', () => end(true));
    socket.once('error', (thrown) => end(codeOf(thrown) !== 'ECONNREFUSED'));
  });
}
