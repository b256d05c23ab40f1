import { type Answer, json, type Route, text } from '../core/endpoints.js';
import type { Feature, FeatureHost } from '../core/feature.js';
import type { ResolvedPage } from '../core/options/features.js';
import { outsideRequest } from '../core/request/request.js';
import type * as Document from './document.js';
import { History } from './history.js';
import { buildView } from './view.js';

/** Milliseconds for which all readers get the same answer, unless there is something new. */
const maxAge = 1000;

/** Relative, so that it also works behind a proxy that serves the application under a prefix. */
const answerMoved = (path: string): Answer =>
  text(308, 'text/plain', '', { Location: `..${path.slice(path.lastIndexOf('/'))}` });

/** The health page: answers its paths, and records heartbeats for it from the start. It runs no check. */
export function pageFeature<Request>(host: FeatureHost<Request>, page: ResolvedPage): Feature<Request> {
  const { path } = page;
  const history = new History(host.options.publicMessages);
  const source = { ...host, page, history };
  const answers = new Map<string, { answer: Promise<Answer>; revision: number; at: number }>();

  // Outside of a request: Deno ties a module that is loaded in one to it forever.
  const loading = new Promise<typeof Document>((resolve) =>
    outsideRequest(() => resolve(import('./document.js'))),
  );
  // Each answer reports the error.
  loading.catch(() => {});
  const html = async (details: boolean): Promise<Answer> => {
    const { renderDocument, headers } = await loading;
    return text(200, 'text/html; charset=utf-8', renderDocument(await buildView(source, details)), headers);
  };
  const data = async (details: boolean): Promise<Answer> =>
    json(200, JSON.stringify((await buildView(source, details)).data));
  const route = (at: string, render: (details: boolean) => Promise<Answer>): Route<Request> => ({
    path: at,
    name: 'the health page',
    answer(request) {
      const details = host.showsDetails(request);
      const key = `${at} ${details}`;
      const last = answers.get(key);
      const now = performance.now();
      if (last?.revision === history.revision && now - last.at <= maxAge) return last.answer;
      const answer = render(details);
      answers.set(key, { answer, revision: history.revision, at: now });
      return answer;
    },
  });

  return {
    routes: [
      route(path, html),
      route(`${path}.json`, data),
      // Links on the page are relative to the path without a slash.
      { path: `${path}/`, name: 'the health page', immediate: true, answer: () => answerMoved(path) },
    ],
    onHeartbeat: (heartbeat) => history.record(heartbeat),
    onVerdict: (change) => history.judge(change),
    onLeave: () => history.announce(),
  };
}
