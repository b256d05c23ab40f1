import {
  type Answer,
  answerMethod,
  answerPageBroken,
  answerPageMoved,
  matchPage,
  type PageResource,
  withoutBody,
} from './endpoints.js';
import { History } from './history.js';
import type { ResolvedOptions } from './options/options.js';
import { outsideRequest } from './request/request.js';
import type { VersionOutcome } from './version/version.js';

/** What the health page may know. */
export interface PageSource {
  readonly history: History;
  readonly options: Pick<
    ResolvedOptions<never>,
    'failLevel' | 'failedStatusCode' | 'loggerName' | 'pageConnections' | 'pagePath' | 'publicMessages'
  >;
  readonly version: () => Promise<VersionOutcome>;
  /** Whether the process is leaving. */
  readonly draining: () => boolean;
}

/** The health page: everything it is asked for, with the details or without. */
export interface Page {
  /** `accepted` is what the request says in `Accept-Encoding`, `open` whether its answer is read at all. */
  answer(resource: PageResource, details: boolean, accepted: string, open: boolean): Promise<Answer>;
}

/** Loads the page. The core does not know it: only those who turn it on pay for it. */
export type LoadPage = () => Promise<{ readonly openPage: (source: PageSource) => Promise<Page> }>;

/** What the page asks of the Health it belongs to. */
interface Keeper<Request> {
  readonly showsDetails: (request: Request) => boolean;
  readonly onError: (thrown: unknown) => void;
}

/** Where the page is asked for: loads it with the first request and records for it from the start. */
export class PageDoor<Request> {
  readonly history: History;
  readonly #pagePath: string;
  readonly #open: () => Promise<Page>;
  readonly #keeper: Keeper<Request>;
  #page: Promise<Page> | undefined;

  constructor(source: Omit<PageSource, 'history'>, load: LoadPage, keeper: Keeper<Request>) {
    const history = new History(source.options.publicMessages);
    this.history = history;
    this.#pagePath = source.options.pagePath;
    // Outside of the request that comes first: what is loaded then, Deno takes for a part of it for ever.
    this.#open = () =>
      new Promise((resolve, reject) => {
        outsideRequest(() => {
          load()
            .then(({ openPage }) => openPage({ ...source, history }))
            .then(resolve, reject);
        });
      });
    this.#keeper = keeper;
  }

  /** What of the page a request target names. */
  match(target: string): PageResource | undefined {
    return matchPage(target, this.#pagePath);
  }

  /** The answer to a request for it; undefined where the request is the application's. */
  handle(method: string, target: string, request: Request): Answer | Promise<Answer> | undefined {
    const resource = this.match(target);
    if (resource === undefined) return undefined;
    const refused = answerMethod(method);
    if (refused !== undefined) return refused;
    if (resource === 'slash') return answerPageMoved(this.#pagePath);
    const open = method !== 'HEAD';
    const answer = this.#answer(resource, this.#keeper.showsDetails(request), acceptedBy(request), open);
    return open ? answer : answer.then(withoutBody);
  }

  /** Never rejects. */
  async #answer(...asked: Parameters<Page['answer']>): Promise<Answer> {
    try {
      this.#page ??= this.#open();
      return await (await this.#page).answer(...asked);
    } catch (thrown) {
      this.#page = undefined;
      this.#keeper.onError(thrown);
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
