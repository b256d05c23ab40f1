import { type Answer, json, text, type Route } from '../core/endpoints.js';
import type { Feature, FeatureHost } from '../core/feature.js';
import { Lazy } from '../core/lazy.js';
import type { Heartbeat } from '../core/heartbeat/heartbeat.js';
import type { VerdictChange } from '../core/heartbeat/signals.js';
import type { ResolvedPage } from '../core/options/page.js';
import type { History } from './history.js';

/** The responses of the health page: the document, its data, and the part of the document that changes. */
export type PageResource = 'html' | 'json' | 'live';

const answerBroken: Answer = json(500, '{"error":"the health page failed"}');
/** Relative, so that it also works behind a proxy that serves the application under a prefix. */
const answerMoved = (path: string): Answer =>
  text(308, 'text/plain', '', { Location: `..${path.slice(path.lastIndexOf('/'))}` });

/** The part of a Health that the health page reads. */
export interface PageSource extends Pick<FeatureHost<never>, 'version' | 'draining'> {
  readonly history: History;
  readonly options: Pick<FeatureHost<never>['options'], 'failedStatusCode' | 'loggerName' | 'publicMessages'>;
  readonly page: ResolvedPage;
}

/** The health page: everything it is asked for, with the details or without. */
export interface Page {
  answer(resource: PageResource, details: boolean): Promise<Answer>;
}

/** Loads the history with the first heartbeat. */
type LoadHistory = () => Promise<{ readonly History: typeof History }>;

/** Loads the page, with the first request for it. */
type LoadPage = () => Promise<{ readonly openPage: (source: PageSource) => Promise<Page> }>;

/** The feature of the page: loads it with the first request and records for it from the start. */
export class PageFeature<Request> implements Feature<Request> {
  readonly routes: readonly Route<Request>[];
  readonly #history: Lazy<History>;
  readonly #page: Lazy<Page>;
  readonly #host: FeatureHost<Request>;

  constructor(host: FeatureHost<Request>, page: ResolvedPage, loadHistory: LoadHistory, load: LoadPage) {
    const { options, version, draining } = host;
    this.#history = new Lazy(async () => new (await loadHistory()).History(options.publicMessages));
    this.#host = host;
    const { path } = page;
    this.routes = [
      this.#route(path, 'html'),
      this.#route(`${path}.json`, 'json'),
      this.#route(`${path}/live.json`, 'live'),
      // Links on the page are relative to the path without a slash.
      { path: `${path}/`, name: 'the health page', immediate: true, answer: () => answerMoved(path) },
    ];
    this.#page = new Lazy(async () => {
      const [{ openPage }, history] = await Promise.all([load(), this.#history.load()]);
      return openPage({ options, page, version, draining, history });
    });
  }

  onHeartbeat(heartbeat: Heartbeat): void {
    const now = Date.now();
    this.#history.whenLoaded((history) => history.record(heartbeat, now));
  }

  onVerdict(change: VerdictChange): void {
    this.#history.whenLoaded((history) => history.judge(change));
  }

  onLeave(): void {
    this.#history.whenLoaded((history) => history.announce());
  }

  #route(path: string, resource: PageResource): Route<Request> {
    const answer = (request: Request) => this.#answer(resource, this.#host.showsDetails(request));
    return { path, name: 'the health page', answer };
  }

  /** Never rejects. */
  async #answer(...asked: Parameters<Page['answer']>): Promise<Answer> {
    try {
      return await (await this.#page.load()).answer(...asked);
    } catch (thrown) {
      this.#host.onError('The health page failed', thrown);
      return answerBroken;
    }
  }
}
