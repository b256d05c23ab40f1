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
import type { ResolvedOptions } from './options.js';
import type { VersionOutcome } from './version.js';

/** What the health page may know. */
export interface PageSource {
  readonly history: History;
  readonly options: Pick<
    ResolvedOptions<never>,
    'failLevel' | 'failedStatusCode' | 'loggerName' | 'pagePath' | 'publicMessages'
  >;
  readonly version: () => Promise<VersionOutcome>;
  /** Whether the process is leaving. */
  readonly draining: () => boolean;
}

/** The health page: everything it is asked for, with the details or without. */
export interface Page {
  answer(resource: PageResource, details: boolean): Promise<Answer>;
}

/** Loads the page. The core does not know it: only those who turn it on pay for it. */
export type LoadPage = () => Promise<{ readonly openPage: (source: PageSource) => Promise<Page> }>;

/** Where the page is asked for: loads it with the first request and records for it from the start. */
export class PageDoor {
  readonly #source: PageSource;
  readonly #load: LoadPage;
  readonly #onError: (thrown: unknown) => void;
  #page: Promise<Page> | undefined;

  constructor(source: Omit<PageSource, 'history'>, load: LoadPage, onError: (thrown: unknown) => void) {
    this.#source = { ...source, history: new History(source.options.publicMessages) };
    this.#load = load;
    this.#onError = onError;
  }

  get history(): History {
    return this.#source.history;
  }

  /** What of the page a request target names. */
  match(target: string): PageResource | undefined {
    return matchPage(target, this.#source.options.pagePath);
  }

  /** The answer to a request for it; undefined where the request is the application's. */
  handle(method: string, target: string, details: () => boolean): Answer | Promise<Answer> | undefined {
    const resource = this.match(target);
    if (resource === undefined) return undefined;
    const refused = answerMethod(method);
    if (refused !== undefined) return refused;
    if (resource === 'slash') return answerPageMoved(this.#source.options.pagePath);
    const answer = this.#answer(resource, details());
    return method === 'HEAD' ? answer.then(withoutBody) : answer;
  }

  /** Never rejects. */
  async #answer(resource: PageResource, details: boolean): Promise<Answer> {
    try {
      this.#page ??= this.#load().then(({ openPage }) => openPage(this.#source));
      return await (await this.#page).answer(resource, details);
    } catch (thrown) {
      this.#onError(thrown);
      return answerPageBroken;
    }
  }
}
