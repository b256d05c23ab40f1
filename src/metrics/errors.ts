import { LifesignError } from '../core/options/errors.js';

export const metricTaken = (name: string) =>
  new LifesignError(
    'LIFESIGN_METRICS_NAME',
    `The registry in metrics.registry already has a metric named ${name}, from another Health or from your own code. Give each Health its own registry, or omit the option.`,
  );
