import type { Answer } from '../core/endpoints.js';
import type { Feature, FeatureHost } from '../core/feature.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import type { Route } from '../core/routes.js';
import { outsideRequest } from '../core/request/request.js';
import { answerPageBroken, answerPageMoved, type PageResource } from './answers.js';
import { History } from './history.js';

/** What the health page may know. */
export interface PageSource extends Pick<FeatureHost<never>, 'version' | 'draining'> {
  readonly history: History;
  readonly options: Pick<
    FeatureHost<never>['options'],
    'failLevel' | 'failedStatusCode' | 'loggerName' | 'pageConnections' | 'pagePath' | 'publicMessages'
  >;
}

/** The health page: everything it is asked for, with the details or without. */
export interface Page {
  /** `accepted` is what the request says in `Accept-Encoding`, `open` whether its answer is read at all. */
  answer(resource: PageResource, details: boolean, accepted: string, open: boolean): Promise<Answer>;
}

/** Loads the page, with the first request for it. */
type LoadPage = () => Promise<{ readonly openPage: (source: PageSource) => Promise<Page> }>;

/** Where the page is asked for: loads it with the first request and records for it from the start. */
export class PageDoor<Request> implements Feature<Request> {
  readonly routes: readonly Route<Request>[];
  readonly #history: History;
  readonly #open: () => Promise<Page>;
  readonly #host: FeatureHost<Request>;
  #page: Promise<Page> | undefined;

  constructor(host: FeatureHost<Request>, load: LoadPage) {
    const { options, version, draining } = host;
    const history = new History(options.publicMessages);
    this.#history = history;
    this.#host = host;
    const { pagePath: path } = options;
    this.routes = [
      this.#route(path, 'html'),
      this.#route(`${path}.json`, 'json'),
      this.#route(`${path}/events`, 'events'),
      this.#route(`${path}/badge.svg`, 'badge'),
      // Links on the page are relative to the path without a slash.
      { path: `${path}/`, name: 'the health page', immediate: true, answer: () => answerPageMoved(path) },
    ];
    // Outside of the request that comes first: what is loaded then, Deno takes for a part of it for ever.
    this.#open = () =>
      new Promise((resolve, reject) => {
        outsideRequest(() => {
          load()
            .then(({ openPage }) => openPage({ options, version, draining, history }))
            .then(resolve, reject);
        });
      });
  }

  onHeartbeat(heartbeat: Heartbeat): void {
    this.#history.record(heartbeat);
  }

  onVerdict(change: VerdictChange): void {
    this.#history.judge(change);
  }

  onLeave(): void {
    this.#history.announce();
  }

  close(): void {
    this.#history.close();
  }

  #route(path: string, resource: PageResource): Route<Request> {
    const answer = (request: Request, method: string) =>
      this.#answer(resource, this.#host.showsDetails(request), acceptedBy(request), method !== 'HEAD');
    return { path, name: 'the health page', answer };
  }

  /** Never rejects. */
  async #answer(...asked: Parameters<Page['answer']>): Promise<Answer> {
    try {
      this.#page ??= this.#open();
      return await (await this.#page).answer(...asked);
    } catch (thrown) {
      this.#page = undefined;
      this.#host.onError('The health page failed', thrown);
      return answerPageBroken;
    }
  }
}

/** The header `Accept-Encoding` of whatever a framework calls a request: a Request, or one of Node. */
function acceptedBy(request: unknown): string {
  if (typeof request !== 'object' || request === null || !('headers' in request)) return '';
  const { headers } = request;
  if (headers instanceof Headers) return headers.get('accept-encoding') ?? '';
  const value: unknown =
    typeof headers === 'object' && headers !== null ? Reflect.get(headers, 'accept-encoding') : '';
  return typeof value === 'string' ? value : '';
}
