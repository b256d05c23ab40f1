import type { Engine } from '../core/engine.js';
import type { NodeRequest } from '../http/node/request.js';

/** How Express takes a request. */
type Handle<Req, Res> = (req: Req, res: Res, next?: (error?: unknown) => void) => void;

/**
 * How the application takes a request now. If requests are counted by their routes, those of the first milliseconds wait for the
 * code that follows them.
 */
export function handleOf<Req extends NodeRequest, Res>(
  engine: Pick<Engine<NodeRequest>, 'closed' | 'onClose'>,
  app: { readonly request: object; handle: Handle<Req, Res> },
  countsRoutes: boolean,
): Handle<Req, Res> {
  const handle: Handle<Req, Res> = app.handle.bind(app);
  if (!countsRoutes) return handle;
  let prepare: ((req: object) => void) | undefined;
  const loading = import('./express-routes.js')
    .then(({ followRoutes }) => {
      if (engine.closed) return (prepare = () => {});
      const routes = followRoutes(app);
      engine.onClose(routes.giveBack);
      prepare = routes.prepare;
      return prepare;
    })
    // Requests are served, and counted without their routes.
    .catch(() => (prepare = () => {}));
  return (req, res, next) => {
    if (prepare === undefined) {
      void loading.then((loaded) => {
        loaded(req);
        handle(req, res, next);
      });
      return;
    }
    prepare(req);
    handle(req, res, next);
  };
}
