const { ExpressInstrumentation } = require('@opentelemetry/instrumentation-express');
const { FastifyInstrumentation } = require('@opentelemetry/instrumentation-fastify');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { NestInstrumentation } = require('@opentelemetry/instrumentation-nestjs-core');
const { NodeSDK, metrics, resources, tracing } = require('@opentelemetry/sdk-node');
const { ignoreHealthRequests, versionDetector } = require('lifesign/otel');

const spans = new tracing.InMemorySpanExporter();
const series = new metrics.InMemoryMetricExporter(metrics.AggregationTemporality.CUMULATIVE);
const reader = new metrics.PeriodicExportingMetricReader({
  exporter: series,
  exportIntervalMillis: 3_600_000,
});

const { IGNORE_PROBES: ignores, DETECT: detects } = process.env;

/** As an application sets it up, with exporters that keep what they get. */
exports.sdk = new NodeSDK({
  serviceName: 'shop',
  ...(detects && { resourceDetectors: [resources.envDetector, versionDetector] }),
  spanProcessors: [new tracing.SimpleSpanProcessor(spans)],
  metricReaders: [reader],
  instrumentations: [
    new HttpInstrumentation(ignores ? { ignoreIncomingRequestHook: ignoreHealthRequests } : {}),
    new ExpressInstrumentation(),
    new FastifyInstrumentation(),
    new NestInstrumentation(),
  ],
});

// What was exported, for the test that asks.
process.on('message', async () => {
  await reader.forceFlush();
  const exported = series.getMetrics().at(-1)?.scopeMetrics ?? [];
  process.send({
    resources: [...spans.getFinishedSpans(), ...series.getMetrics()].map(
      ({ resource }) => resource.attributes,
    ),
    served: exported
      .flatMap(({ metrics: all }) => all)
      .filter(({ descriptor }) => descriptor.name.startsWith('http.server'))
      .flatMap(({ dataPoints }) => dataPoints.map(({ value }) => value.count))
      .reduce((sum, count) => sum + count, 0),
    spans: spans.getFinishedSpans().map((span) => ({
      name: span.name,
      kind: span.kind,
      traceId: span.spanContext().traceId,
      spanId: span.spanContext().spanId,
      path: span.attributes['url.path'] ?? span.attributes['http.target'],
    })),
    metrics: exported
      .filter(({ scope }) => scope.name === 'lifesign')
      .flatMap(({ metrics: all }) =>
        all.flatMap(({ descriptor, dataPoints }) =>
          dataPoints.map(({ value, attributes }) => ({ name: descriptor.name, value, attributes })),
        ),
      ),
  });
});
