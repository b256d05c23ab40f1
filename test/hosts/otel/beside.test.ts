// The two lines of docs/metrics.md for OpenTelemetry.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Health, type HealthOptions } from 'lifesign/node';

const page = readFileSync(join(import.meta.dirname, '../../../docs/metrics.md'), 'utf8');

test('two lines export the requests and our series', async () => {
  const [code = ''] = page.match(/(?<=```js fragment\n)new NodeSDK.*\n.*\n(?=```)/) ?? [];
  for (const kind of ['TRACES', 'LOGS']) vi.stubEnv(`OTEL_${kind}_EXPORTER`, 'none');
  onTestFinished(() => void vi.unstubAllEnvs());
  const exporters: PrometheusExporter[] = [];
  /** Its port may be taken. */
  class Unserved extends PrometheusExporter {
    constructor() {
      super({ preventServerStart: true });
      exporters.push(this);
    }
  }
  class Closed extends NodeSDK {
    override start(): void {
      super.start();
      // Instrumentations patch what is loaded after them.
      createRequire(import.meta.url)('http');
      onTestFinished(() => this.shutdown());
    }
  }
  class Quiet extends Health {
    constructor(app: typeof server, options: HealthOptions) {
      super(app, { ...options, logger: false });
      onTestFinished(() => this.close());
    }
  }
  const server = createServer((_req, res) => res.end());
  // oxlint-disable-next-line no-implied-eval, no-new-func, typescript/no-implied-eval -- the page's own lines
  const run = new Function(
    'NodeSDK',
    'PrometheusExporter',
    'HttpInstrumentation',
    'Health',
    'app',
    'pool',
    code,
  );
  run(Closed, Unserved, HttpInstrumentation, Quiet, server, undefined);
  onTestFinished(() => {
    server.close();
    metrics.disable();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const path of ['/', '/__heartbeat__']) await (await fetch(origin + path)).text();
  const exported = await exporters[0]?.collect();
  const names = exported?.resourceMetrics.scopeMetrics.flatMap(({ metrics: all }) =>
    all.map(({ descriptor }) => descriptor.name),
  );
  expect(names).toEqual(expect.arrayContaining(['http.server.request.duration', 'lifesign.heartbeats']));
});
