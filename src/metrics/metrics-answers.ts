import { type Answer, json } from '../core/endpoints.js';

/** For callers that may not see details: an operator reads it as the state of a target in Prometheus. */
export const answerMetricsHidden: Answer = json(
  403,
  '{"error":"the metrics are hidden by the details option"}',
);
export const answerMetricsBroken: Answer = json(500, '{"error":"the metrics failed"}');
