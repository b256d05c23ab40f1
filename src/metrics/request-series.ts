import type { RequestContext } from '../core/request/request.js';
import type { Summary } from '../core/request/summary.js';
import type { Emit } from './family.js';
import { Histogram } from './histogram.js';
import { LabelSet } from './labels.js';
import { routeOf } from './routes.js';

/** Seconds: the bounds that OpenTelemetry advises for this histogram. */
const bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** The methods of HTTP; clients can make up any number of others. */
const methods = new Set('GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH QUERY'.split(' '));
/** The name for everything that is not counted separately, as OpenTelemetry spells it. */
const other = '_OTHER';
const maxRoutes = 500;
const maxRouteLength = 200;

/** The histograms of one route: by method, and by status code. */
type Route = Map<string, Map<number, Histogram>>;

/** How long the requests of the application took. A known series takes three lookups and two additions. */
export class RequestSeries {
  readonly #routes = new Map<string, Route>();

  /** Counts a request that has ended. */
  record(context: RequestContext, { method, code }: Summary): void {
    const given = routeOf(context, code);
    const route = this.#routes.has(given) ? given : this.#known(given);
    const histogram = this.#histogram(route, methods.has(method) ? method : other, code);
    histogram.observe((context.ended - context.started) / 1000);
  }

  readonly duration = (emit: Emit): void => {
    for (const route of this.#routes.values()) {
      for (const codes of route.values()) for (const histogram of codes.values()) histogram.collect(emit);
    }
  };

  /** The route as it is counted: long ones are cut, and all beyond the limit are one. */
  #known(route: string): string {
    const short = route.length > maxRouteLength ? `${route.slice(0, maxRouteLength)}…` : route;
    return this.#routes.has(short) || this.#routes.size < maxRoutes ? short : other;
  }

  #histogram(route: string, method: string, code: number): Histogram {
    const byMethod = entryOf(this.#routes, route, newMap<string, Map<number, Histogram>>);
    const byCode = entryOf(byMethod, method, newMap<number, Histogram>);
    const known = byCode.get(code);
    if (known !== undefined) return known;
    // Applications may send any number for one.
    const isCode = code >= 100 && code < 600;
    if (!isCode && code !== 0) return this.#histogram(route, method, 0);
    const labels = new LabelSet({ method, route, code: isCode ? String(code) : other });
    const made = new Histogram(bounds, labels);
    byCode.set(code, made);
    return made;
  }
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

const newMap = <Key, Value>(): Map<Key, Value> => new Map();
