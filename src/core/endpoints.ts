import { isPromise } from './objects.js';
import { optionInvalid } from './options/errors.js';
import { shared } from './runtime.js';

/** A response: framework files write it and add nothing. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Endpoint = 'version' | 'heartbeat' | 'lbheartbeat';

export const endpointPaths: Readonly<Record<Endpoint, string>> = {
  version: '/__version__',
  heartbeat: '/__heartbeat__',
  lbheartbeat: '/__lbheartbeat__',
};

export const isEndpoint = (target: string): boolean =>
  Object.values(endpointPaths).some((path) => isAt(target, path));

/** Whether a request target names a path: exactly, or with one slash at its end, with any query. */
export function isAt(target: string, path: string): boolean {
  const named = pathname(target);
  return named === path || named === `${path}/`;
}

/** The path of a request target, without its query. */
export function pathname(target: string): string {
  const path = originForm(target);
  const query = path.indexOf('?');
  return query === -1 ? path : path.slice(0, query);
}

/**
 * Path and query of a request target as it came. Proxies send addresses, `http://user:password@host/path?query`:
 * neither the scheme nor anything before the path belongs to us or in a log. `*` stays as it is.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const before = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i.exec(target)?.[0];
  if (before === undefined) {
    // The target of CONNECT is a host and a port; a path after a user is not a path.
    const rest = target.slice(target.lastIndexOf('@') + 1);
    return rest.startsWith('/') ? '' : rest;
  }
  const path = target.slice(before.length);
  return path.startsWith('/') ? path : `/${path}`;
}

/** The paths, and the same under a prefix, if there is one. */
export const prefixed = (prefix: string | undefined, paths: readonly string[]): readonly string[] =>
  !prefix ? paths : [...paths, ...paths.map((path) => prefix + path)];

export const groupPath = (name: string): string => `${endpointPaths.heartbeat}/${name}`;

const allow = 'GET, HEAD, OPTIONS';
const common = { Vary: 'Accept-Encoding', 'Cache-Control': 'no-store' } as const;

/** The answer to a method that the endpoints do not serve; undefined for GET and HEAD. */
export function answerMethod(method: string): Answer | undefined {
  if (method === 'GET' || method === 'HEAD') return undefined;
  if (method === 'OPTIONS') return { status: 204, headers: { ...common, Allow: allow }, body: '' };
  const refusal = json(405, `{"error":"method not allowed"}`);
  return { ...refusal, headers: { ...refusal.headers, Allow: allow } };
}

/** The same answer without its body, for HEAD. */
export const withoutBody = (answer: Answer): Answer => ({ ...answer, body: '' });

export function text(
  status: number,
  type: string,
  body: string,
  more?: Readonly<Record<string, string>>,
): Answer {
  // Written out: a heartbeat makes these, and a spread takes longer than the rest.
  const headers = {
    'Content-Type': type,
    Vary: common.Vary,
    'Cache-Control': common['Cache-Control'],
    'Content-Length': byteLength(body),
  };
  return { status, headers: more === undefined ? headers : { ...headers, ...more }, body };
}

export const json = (status: number, body: string): Answer => text(status, 'application/json', body);

export const answerUp: Answer = json(200, '{"status":"ok"}');
export const answerDraining: Answer = json(503, '{"status":"draining"}');
/** Of the watchdog: the event loop has been blocked so long that the process should be restarted. */
export const answerBusy = (blockedFor: number): Answer =>
  json(200, JSON.stringify({ status: 'busy', blockedFor }));
export const answerStuck = (blockedFor: number): Answer =>
  json(503, JSON.stringify({ status: 'stuck', blockedFor }));
/** Of the probes: `schemas/probe.schema.json` has their shape. */
export const answerProbePassed: Answer = json(200, '{"status":"pass"}');
export const answerProbeFailed = (reason: string): Answer =>
  json(503, JSON.stringify({ status: 'fail', reason }));
const answerBroken: Answer = json(500, '{"error":"lifesign failed, see the log"}');
export const answerNotFound: Answer = json(404, '{"error":"not found"}');
export const answerVersion = (version: string): Answer => json(200, version);
export const answerNoVersion: Answer = json(404, '{"error":"version.json not found"}');
export const answerBrokenVersion = (sentence: string): Answer =>
  json(500, JSON.stringify({ error: sentence }));
/** A heartbeat; `failed` is the status code if it failed. */
export const answerReport = (report: string, failed = 200): Answer => json(failed, report);

/** `Vary` if another layer has set one already: ours is added to it, never twice. */
export function mergeVary(existing: string): string {
  const names = new Set(existing.split(',').map((name) => name.trim().toLowerCase()));
  if (names.has('*') || names.has('accept-encoding')) return existing;
  return existing.trim() === '' ? common.Vary : `${existing}, ${common.Vary}`;
}

function byteLength(body: string): string {
  return String(globalThis.Buffer?.byteLength(body) ?? new TextEncoder().encode(body).length);
}

/** The code in the summary of a request whose client left before the answer began, as web servers log it. */
export const clientLeft = 499;
/** The code in the summary of a handler that threw and gave no answer: every runtime then answers with this. */
export const handlerThrew = 500;

/** A path that lifesign answers, with any query, with and without a slash at its end. */
export interface Route<Request> {
  readonly path: string;
  /** The name of the endpoint in an error: `group payments`. */
  readonly name: string;
  /** Whether the answer is known at once, without the request and its context. */
  readonly immediate?: boolean;
  /** The answer to GET, and to HEAD, whose body is left out by the caller. `target` has the query. It never rejects. */
  answer(request: Request, method: string, target: string): Answer | Promise<Answer>;
}

/** The answer of a route to a method. An error in it becomes an answer and is handed to `onError`: it never throws or rejects. */
export function answerRoute<Request>(
  route: Route<Request>,
  method: string,
  target: string,
  request: Request,
  onError: (msg: string, thrown: unknown) => void,
): Answer | Promise<Answer> {
  const refused = answerMethod(method);
  if (refused !== undefined) return refused;
  const failed = (thrown: unknown) => {
    onError(`${route.path} failed`, thrown);
    return answerBroken;
  };
  const finished = method === 'HEAD' ? withoutBody : undefined;
  try {
    const answer = route.answer(request, method, target);
    if (isPromise(answer)) return answer.then(finished, failed);
    return finished === undefined ? answer : finished(answer);
  } catch (thrown) {
    return failed(thrown);
  }
}

/** Every path that a Health of this process answers: for callers that need it before a request. */
export const servedPaths: Set<string> = /* @__PURE__ */ shared(
  'paths',
  () => new Set(Object.values(endpointPaths).flatMap((path) => [path, `${path}/`])),
);

const reserved = '/__';

/** The routes of a Health. Each request is matched once, regardless of the number of features. */
export class Routes<Request> {
  readonly #byPath = new Map<string, Route<Request>>();
  readonly #prefix: string;
  /** Whether every path begins as the contract's do. */
  #allReserved = true;

  constructor(prefix = '') {
    this.#prefix = prefix;
  }

  /** Adds the routes of one feature, and the same under the prefix. Throws if one of their paths is taken. */
  add(given: readonly Route<Request>[]): void {
    const under = (route: Route<Request>) => ({ ...route, path: this.#prefix + route.path });
    const routes = this.#prefix === '' ? given : [...given, ...given.map(under)];
    for (const route of routes) {
      if (this.#byPath.has(route.path)) {
        const expects = 'a path that no other feature uses';
        throw optionInvalid(`The path of ${route.name}`, route.path, expects, 'Change one of the two.');
      }
      this.#byPath.set(route.path, route);
      servedPaths.add(route.path).add(`${route.path}/`);
      this.#allReserved &&= route.path.startsWith(reserved);
    }
    for (const route of routes) {
      // The health page has a route of its own for this.
      if (!this.#byPath.has(`${route.path}/`)) this.#byPath.set(`${route.path}/`, route);
    }
  }

  /** The route of a request target; undefined if the request belongs to the application. */
  match(target: string): Route<Request> | undefined {
    // Most requests are the application's and leave here.
    if (this.#allReserved && target.startsWith('/') && !target.startsWith(reserved)) return undefined;
    return this.#byPath.get(pathname(target));
  }
}
