import { exchangeOf } from '../http/node/exchange.js';
import type { NodeRequest } from '../http/node/request.js';

const route = Symbol('route');
const baseUrl = Symbol('baseUrl');
const mounts = Symbol('mounts');

/** The mount path of a request: as sent, and the pattern that it matched. */
interface Mount {
  readonly url: string;
  readonly pattern: string;
}

/** Properties that Express sets on a request while it looks for the route. */
type Routed = NodeRequest & {
  readonly params?: Readonly<Record<string, unknown>>;
  [route]?: unknown;
  [baseUrl]?: string | undefined;
  [mounts]?: Mount[];
};

interface RoutingApp {
  readonly request: object;
}

interface RouteFollowing {
  readonly prepare: (req: object) => void;
  readonly giveBack: () => void;
}

/**
 * Gives the context of each request the pattern of its route. Express has that while it routes and not after: `baseUrl` is a part of the
 * path as it was sent, and is unset once a router has passed an error on. So the two are watched on the prototype that all requests of one
 * application inherit them from. Call `prepare` with each request before Express gets it.
 */
export function followRoutes(app: RoutingApp): RouteFollowing {
  const { request } = app;
  const before = Object.getOwnPropertyDescriptors(request);
  Object.defineProperties(request, {
    route: {
      configurable: true,
      get(this: Routed) {
        return this[route];
      },
      set(this: Routed, found: unknown) {
        this[route] = found;
        const context = exchangeOf(this);
        if (context !== undefined) context.route = join(this[mounts]?.at(-1)?.pattern ?? '', pathOf(found));
      },
    },
    baseUrl: {
      configurable: true,
      get(this: Routed) {
        return this[baseUrl];
      },
      set(this: Routed, url: string | undefined) {
        this[baseUrl] = url;
        if (url === undefined) passedOn(this);
        else mount(this, url);
      },
    },
  });
  // Express 4 writes `baseUrl` on a request before it lets it inherit from the application.
  const prepare = (req: object) => {
    if ('lazyrouter' in app) Object.setPrototypeOf(req, request);
  };
  return { prepare, giveBack: () => giveBack(request, before) };
}

function giveBack(request: object, before: PropertyDescriptorMap): void {
  for (const name of ['route', 'baseUrl']) {
    const own = before[name];
    if (own === undefined) Reflect.deleteProperty(request, name);
    else Object.defineProperty(request, name, own);
  }
}

/** All routes have passed it on: the handler that answers now is not the last of them, unless that threw. */
function passedOn(req: Routed): void {
  const context = exchangeOf(req);
  if (context !== undefined && context.error === undefined) context.route = undefined;
}

function mount(req: Routed, url: string): void {
  const above = (req[mounts] ??= []);
  for (let last = above.at(-1); last !== undefined && !isBelow(url, last.url); last = above.at(-1))
    above.pop();
  const { url: before, pattern } = above.at(-1) ?? { url: '', pattern: '' };
  if (url !== before)
    above.push({ url, pattern: pattern + patternOf(url.slice(before.length), pattern, req) });
}

const isBelow = (url: string, mounted: string) => url === mounted || url.startsWith(`${mounted}/`);

/** `/users/42` of a router mounted at `/users/:id` becomes that pattern again; an ambiguous part becomes a star. */
function patternOf(url: string, before: string, { params = {} }: Routed): string {
  let pattern = url.toLowerCase();
  for (const [name, value] of Object.entries(params)) {
    const pieces = pattern.split('/');
    const index = pieces.findIndex((piece) => piece !== '' && decoded(piece) === String(value).toLowerCase());
    if (index !== -1) pattern = pieces.with(index, `:${name}`).join('/');
    // Parameters of routers above may be handed down.
    else if (!before.includes(`:${name}`)) return '/*';
  }
  return pattern;
}

function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece).toLowerCase();
  } catch {
    return piece;
  }
}

/** The path that a route was registered with: a text, a regular expression, or a list of them. */
function pathOf(found: unknown): string {
  const path: unknown = Reflect.get(Object(found), 'path');
  const paths: readonly unknown[] = Array.isArray(path) ? path : [path];
  return paths
    .map((each) => (typeof each === 'string' || each instanceof RegExp ? String(each) : ''))
    .join('|');
}

function join(pattern: string, path: string): string {
  return path === '/' && pattern !== '' ? pattern : pattern + path;
}
