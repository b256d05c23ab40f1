import type { Feature, FeatureHost } from '../core/feature.js';
import { PageDoor } from '../page/door.js';
import { ProbesDoor } from '../probes/door.js';

/** The features that the options turn on: each is loaded by those who do. */
export function openFeatures<Request>(host: FeatureHost<Request>): Feature<Request>[] {
  const { page, probes } = host.options;
  return [
    ...(page ? [new PageDoor(host, () => import('../page/content/index.js'))] : []),
    ...(probes === undefined ? [] : [new ProbesDoor(host, probes, () => import('../probes/index.js'))]),
  ];
}
