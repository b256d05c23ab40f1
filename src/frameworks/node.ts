import type { IncomingMessage, ServerResponse } from 'node:http';
import { appInvalid } from '../core/options/errors.js';
import {
  Extension,
  type ExtensionOptions,
  fromWorkingDirectory,
  type NonEmptyClients,
} from '../profiles/extension.js';
import { openHealthPort } from '../http/health-port.js';
import {
  noteError,
  type NodeRequest,
  type NodeResponse,
  type NodeServer,
  serve,
  serveFirst,
} from '../http/node/serve.js';

export * as checks from '../checks/index.js';
export { listenOptions } from '../core/options/listen.js';
export { requestId } from '../core/request/request.js';
export type { ExtensionOptions, NodeRequest, NodeResponse, NodeServer };

/**
 * Tells the summary of a request what its handler threw, for listeners that catch their own errors.
 *
 * @example catch (error) { noteError(req, error); res.writeHead(500).end(); }
 */
export { noteError };

/**
 * Profile C: the three endpoints and `request.summary` for a server of node:http, https or http2.
 *
 * @example const health = new Health(server, { db: pool });
 */
export class Health<Db = unknown, Redis = unknown, Migrations = unknown> extends Extension<
  NodeServer,
  NodeRequest
> {
  constructor(
    server?: NodeServer,
    options: ExtensionOptions<NodeRequest> & NonEmptyClients<Db, Redis, Migrations> = {},
  ) {
    super(options, fromWorkingDirectory());
    if (server !== undefined) this.initApp(server);
  }

  /**
   * The listener with the endpoints before it: for those who make the server themselves.
   *
   * @example createServer(health.listener((req, res) => res.end('Hello')));
   */
  listener<Request extends NodeRequest = IncomingMessage, Response extends NodeResponse = ServerResponse>(
    listener: (req: Request, res: Response) => unknown,
  ): (req: Request, res: Response) => void {
    if (typeof listener !== 'function') {
      throw appInvalid('a listener for requests', listener, 'health.listener((req, res) => res.end())');
    }
    return (req, res) =>
      serve<NodeRequest>(this, req, res, req.url ?? '', (context) => {
        context.request ??= req;
        const result = listener(req, res);
        if (!(result instanceof Promise)) return;
        // Rejected again for whoever watches unhandled rejections.
        void result.catch((thrown: unknown) => {
          context.error = thrown;
          throw thrown;
        });
      });
  }

  protected override install(server: NodeServer): void {
    if (!isServer(server)) {
      throw appInvalid('a server', server, 'const server = http.createServer(); new Health(server)');
    }
    openHealthPort(this);
    serveFirst(this, server, { next: (context, req) => (context.request ??= req) });
  }
}

function isServer(server: unknown): server is NodeServer {
  return typeof server === 'object' && server !== null && 'emit' in server && 'listen' in server;
}
