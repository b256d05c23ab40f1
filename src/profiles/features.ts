import type { Feature, FeatureHost } from '../core/feature.js';
import { PageDoor } from '../page/door.js';

/** The features that the options turn on: each is loaded by those who do. */
export function openFeatures<Request>(host: FeatureHost<Request>): Feature<Request>[] {
  return host.options.page ? [new PageDoor(host, () => import('../page/content/index.js'))] : [];
}
