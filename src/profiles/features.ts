import type { Feature, FeatureHost } from '../core/feature.js';
import { MetricsDoor } from '../metrics/door.js';
import { OtelDoor } from '../otel/door.js';
import { PageDoor } from '../page/door.js';
import { ProbesDoor } from '../probes/door.js';

/** The features that the options turn on: each is loaded by those who do. */
export function openFeatures<Request>(host: FeatureHost<Request>): Feature<Request>[] {
  const { metrics, otel, page, probes } = host.options;
  const features: Feature<Request>[] = [];
  if (page) {
    features.push(
      new PageDoor(
        host,
        () => import('../page/history.js'),
        () => import('../page/content/index.js'),
      ),
    );
  }
  if (probes) features.push(new ProbesDoor(host, probes, () => import('../probes/index.js')));
  if (metrics) features.push(new MetricsDoor(host, metrics, () => import('../metrics/index.js')));
  if (otel) features.push(new OtelDoor(host, () => import('../otel/index.js')));
  return features;
}
