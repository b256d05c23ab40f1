import type { Server } from 'node:http';
import type { HealthCore } from '../core/health.js';
import { levels } from '../core/heartbeat/messages.js';
import { isObject } from '../core/objects.js';
import { LifesignError } from '../core/options/errors.js';
import { healthServer } from '../http/health-port.js';
import type { NodeRequest } from '../http/node/exchange.js';
import { systemErrorCode, sayError, workerListen } from './errors.js';
import type { Places } from './places.js';
import { keepFile } from './pulse.js';

/** Where a worker listens. */
export interface Listening {
  readonly host?: string;
  /** The actual port, also if the option is 0. */
  readonly port?: number;
  readonly file?: string;
}

/** Reports the health of a worker on a port, in a file, or both. Keeps no process alive. */
export async function openWorker<FrameworkRequest>(
  health: HealthCore<NodeRequest, FrameworkRequest>,
  { tcp, file }: Places,
  /** Another option to suggest if the port is taken. */
  hint = '',
): Promise<Listening> {
  if (file !== undefined) keepFile(health, file);
  const listening = tcp && (await serve(health, tcp, hint));
  // No server of the application will listen.
  if (health.options.probes?.startWhen === 'listening') health.started();
  return { ...listening, ...(file !== undefined && { file }) };
}

/** Serves the endpoints; rejects with a coded error, which is also in the log. */
async function serve<FrameworkRequest>(
  health: HealthCore<NodeRequest, FrameworkRequest>,
  at: { readonly host: string; readonly port: number },
  hint: string,
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
    await Promise.race([listen(server, at, hint), early]);
  } catch (thrown) {
    // It may have begun to listen meanwhile.
    server.close();
    // A server that the application closed itself is not a failure.
    if (thrown instanceof LifesignError) sayError(health, thrown);
    throw thrown;
  }
  const address = server.address();
  const port = isObject(address) ? address.port : at.port;
  health.say(levels.info, `Serving the health endpoints on ${at.host}:${port}`);
  return { host: at.host, port };
}

function listen(server: Server, at: { host: string; port: number }, hint: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => {
      const write =
        systemErrorCode(error) === 'EADDRINUSE'
          ? `Another process uses this port: set PORT or the port option to a free one (0 picks one).${hint}`
          : 'Set HOST and PORT, or the port option, to an address that this process can listen on.';
      reject(workerListen(`${at.host}:${at.port}`, systemErrorCode(error), write, error));
    };
    server.once('error', refuse);
    server.listen(at, () => {
      server.off('error', refuse);
      // Later errors, such as too many open files, must not end the process.
      server.on('error', () => {});
      resolve();
    });
    server.unref();
  });
}
