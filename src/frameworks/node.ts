import type { IncomingMessage, ServerResponse } from 'node:http';
import { closeOnThrow } from '../core/feature.js';
import { HealthCore } from '../core/health.js';
import { appInvalid } from '../core/options/errors.js';
import {
  extension,
  fromWorkingDirectory,
  type HealthArguments,
  type HealthOptions as OptionsOf,
} from '../profiles/extension.js';
import { watchListen } from '../http/node/watch-server.js';
import { openHealthPort } from '../http/health-port.js';
import {
  noteError,
  type NodeRequest,
  type NodeResponse,
  type NodeServer,
  serve,
  serveFirst,
} from '../http/node/serve.js';
import { isObject } from '../core/objects.js';

export * from '../profiles/entry.js';
export type { NodeRequest, NodeResponse, NodeServer };

export { noteError };

/** Options of the Health of node:http: the options of every Health, and the clients of the built-in checks. */
export interface HealthOptions extends OptionsOf<NodeRequest> {}

/**
 * The three endpoints and `request.summary` for a server of node:http, https or http2.
 *
 * @example const health = new Health(server, { db: pool });
 */
export class Health extends HealthCore<NodeRequest, NodeRequest> {
  constructor(...args: HealthArguments<NodeServer, HealthOptions>) {
    const { app, parts } = extension(args, fromWorkingDirectory());
    super(parts);
    if (app !== undefined) closeOnThrow(this, () => this.initApp(app));
  }

  /**
   * The listener with the endpoints in front of it, for servers that you create yourself.
   *
   * @example createServer(health.listener((req, res) => res.end('Hello')));
   */
  listener<Request extends NodeRequest = IncomingMessage, Response extends NodeResponse = ServerResponse>(
    listener: (req: Request, res: Response) => unknown,
  ): (req: Request, res: Response) => void {
    if (typeof listener !== 'function') {
      throw appInvalid('a request listener', listener, 'health.listener((req, res) => res.end())');
    }
    const answer = (req: Request, res: Response, pass: () => unknown) => {
      const { url = '' }: NodeRequest = req;
      serve<NodeRequest>(this, req, res, url, (context) => {
        context?.note(req);
        const result = pass();
        if (context === undefined || !(result instanceof Promise)) return;
        // Not any thenable: a query of knex is one, and `then` would send it. Rejected again for listeners of unhandled rejections.
        void result.catch((thrown: unknown) => {
          context.noteError(thrown);
          throw thrown;
        });
      });
    };
    return function (this: unknown, req, res) {
      answer(req, res, () => Reflect.apply(listener, this, [req, res]));
    };
  }

  /** Installs the three endpoints in an application that you create after the Health. */
  initApp(server: NodeServer): this {
    if (!isServer(server)) {
      throw appInvalid('a server', server, 'const server = http.createServer(); new Health(server)');
    }
    return this.install(server, () => {
      watchListen(this, server, false);
      openHealthPort(this);
      serveFirst(this, server, { next: (context, req) => context?.note(req) });
    });
  }
}

function isServer(server: unknown): server is NodeServer {
  return isObject(server) && 'emit' in server && 'listen' in server;
}
