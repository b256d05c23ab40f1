import { type Answer, json, type Route, text } from '../core/endpoints.js';
import { type Feature, type FeatureHost, loadOnce } from '../core/feature.js';
import type { ResolvedPage } from '../core/options/features.js';
import { attempt } from '../core/runtime.js';
import type { History } from './history.js';
import type { Page, PageResource } from './index.js';

const answerBroken: Answer = json(500, '{"error":"the health page failed"}');
/** Relative, so that it also works behind a proxy that serves the application under a prefix. */
const answerMoved = (path: string): Answer =>
  text(308, 'text/plain', '', { Location: `..${path.slice(path.lastIndexOf('/'))}` });

/** How many events are kept until the code is loaded. */
const maxEarly = 1000;

/** The feature of the page: answers its paths, and records for it from the start. */
export function pageFeature<Request>(host: FeatureHost<Request>, page: ResolvedPage): Feature<Request> {
  const { options, version, draining } = host;
  const early: ((history: History) => void)[] = [];
  let history: History | undefined;

  const open = loadOnce(async (): Promise<Page> => {
    const { History: Loaded, openPage } = await import('./index.js');
    const loaded = (history ??= new Loaded(options.publicMessages));
    for (const record of early.splice(0)) attempt(() => record(loaded));
    return openPage({ options, page, version, draining, history: loaded });
  });
  const whenLoaded = (record: (history: History) => void): void => {
    if (history !== undefined) record(history);
    else if (early.length < maxEarly) early.push(record);
  };
  const route = (path: string, resource: PageResource): Route<Request> => ({
    path,
    name: 'the health page',
    async answer(request) {
      const details = host.showsDetails(request);
      try {
        return await (await open()).answer(resource, details);
      } catch (thrown) {
        host.onError('The health page failed', thrown);
        return answerBroken;
      }
    },
  });

  open().catch(() => {});
  const { path } = page;
  return {
    routes: [
      route(path, 'html'),
      route(`${path}.json`, 'json'),
      route(`${path}/live.json`, 'live'),
      // Links on the page are relative to the path without a slash.
      { path: `${path}/`, name: 'the health page', immediate: true, answer: () => answerMoved(path) },
    ],
    onHeartbeat(heartbeat) {
      const now = Date.now();
      whenLoaded((loaded) => loaded.record(heartbeat, now));
    },
    onVerdict: (change) => whenLoaded((loaded) => loaded.judge(change)),
    onLeave: () => whenLoaded((loaded) => loaded.announce()),
  };
}
