import { drain } from './drain.js';
import { errorEndpoint } from './error-endpoint.js';
import type { FeatureOption } from './feature-options.js';
import { metrics } from './metrics.js';
import type { FeatureName } from './options.js';
import { page } from './page.js';
import { probes } from './probes.js';
import { summary } from './summary.js';
import { watchdog } from './watchdog.js';

/** The features whose options are one object each: their declarations are read, named and compared with the docs from here. */
export const features = { page, summary, watchdog, probes, metrics, drain, errorEndpoint } satisfies Record<
  FeatureName,
  FeatureOption
>;
