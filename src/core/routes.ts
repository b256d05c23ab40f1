import { type Answer, answerBroken, answerMethod, endpointPaths, pathOf, withoutBody } from './endpoints.js';
import { isPromise } from './guard.js';
import { optionInvalid } from './options/errors.js';
import { shared } from './shared.js';

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

/** The answer of a route to a method. Whatever fails in it becomes an answer and is handed to `onError`: it never throws or rejects. */
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

/** Every path that a Health of this process answers: for callers that ask before a request reaches it. */
export const servedPaths: Set<string> = /* @__PURE__ */ shared(
  'paths',
  () => new Set(Object.values(endpointPaths).flatMap((path) => [path, `${path}/`])),
);

/** How the paths of the contract begin. */
const reserved = '/__';

/** The routes of a Health. Each request is matched once, whatever the number of features. */
export class Routes<Request> {
  readonly #byPath = new Map<string, Route<Request>>();
  readonly #prefix: string;
  /** Whether every path begins as those of the contract do. */
  #allReserved = true;

  constructor(prefix = '') {
    this.#prefix = prefix;
  }

  /** Adds the routes of one feature, and the same under the prefix. Throws if one of their paths is taken. */
  add(routes: readonly Route<Request>[]): void {
    this.#add(routes);
    if (this.#prefix !== '')
      this.#add(routes.map((route) => ({ ...route, path: this.#prefix + route.path })));
  }

  #add(routes: readonly Route<Request>[]): void {
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

  /** The paths, without those that only end with a slash more. */
  paths(): string[] {
    return [...this.#byPath].filter(([path, route]) => path === route.path).map(([path]) => path);
  }

  /** The route of a request target; undefined if the request belongs to the application. */
  match(target: string): Route<Request> | undefined {
    // Most requests are the application's and leave here: contributing/performance.md has the saving.
    if (this.#allReserved && target.startsWith('/') && !target.startsWith(reserved)) return undefined;
    return this.#byPath.get(pathOf(target));
  }
}
