// OpenTelemetry as its documentation sets it up; what was exported is told when the process is asked to end.
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { NodeSDK, tracing } = require('@opentelemetry/sdk-node');

const spans = new tracing.InMemorySpanExporter();
new NodeSDK({
  serviceName: 'shop',
  spanProcessors: [new tracing.SimpleSpanProcessor(spans)],
  instrumentations: [new HttpInstrumentation()],
}).start();

process.on('SIGUSR2', () => {
  const ids = spans.getFinishedSpans().map((span) => span.spanContext());
  process.stderr.write(`${JSON.stringify(ids.map(({ traceId, spanId }) => `${traceId} ${spanId}`))}\n`);
});
