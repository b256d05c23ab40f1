// The alerts of docs/checks.md on a heap that fills up, with the series of prom-client and of OpenTelemetry, on a real Prometheus.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { RuntimeNodeInstrumentation } from '@opentelemetry/instrumentation-runtime-node';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { Registry, collectDefaultMetrics } from 'prom-client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { canStart, startService } from '../../services/index.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/checks.md'), 'utf8');
const expressions = page.match(/(?<=```promql\n).*(?=\n```)/g) ?? [];

/** Both libraries of one process, one after the other in its text. */
function scrape(): () => Promise<string> {
  const register = new Registry();
  collectDefaultMetrics({ register });
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const provider = new MeterProvider({ readers: [exporter] });
  const instrumentation = new RuntimeNodeInstrumentation();
  instrumentation.setMeterProvider(provider);
  onTestFinished(async () => {
    instrumentation.disable();
    await provider.shutdown();
    metrics.disable();
  });
  return async () => {
    const exported = await new Promise<string>((resolve) => {
      exporter.getMetricsRequestHandler({} as never, { setHeader() {}, end: resolve } as never);
    });
    // Each of them has process and event-loop series of its own.
    return `${await register.metrics()}${exported}`;
  };
}

describe.skipIf(!canStart('prometheus'))('a heap that fills up', () => {
  test('is predicted by both expressions of the page, and one that does not grow is not', async () => {
    expect(expressions).toHaveLength(2);
    const text = scrape();
    const server = createServer(async (_req, res) => res.end(await text()));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const jobs = `scrape_configs: [{ job_name: shop, scrape_interval: 200ms, scrape_timeout: 200ms, static_configs: [{ targets: ['127.0.0.1:${port}'] }] }]\n`;
    const prometheus = await startService('prometheus', { args: [jobs] });
    onTestFinished(() => prometheus.stop());
    const alerts = async (window: string, mebibytes: number) => {
      const found = expressions.map(async (each) => {
        const query = each.replace('[30m]', `[${window}]`).replace('512', String(mebibytes));
        const answer = await fetch(`${prometheus.url}/api/v1/query?query=${encodeURIComponent(query)}`);
        const { data } = (await answer.json()) as { data: { result: readonly unknown[] } };
        return data.result.length;
      });
      return Promise.all(found);
    };
    const kept: object[] = [];
    // A heap of 16 GiB: what is kept is far from it, and would fill it within the hour.
    const timer = setInterval(() => kept.push(Array.from({ length: 100_000 }, Math.random)), 100);
    onTestFinished(() => clearInterval(timer));
    await vi.waitFor(async () => expect(await alerts('5s', 16 * 1024)).toEqual([1, 1]), 30_000);
    clearInterval(timer);
    await vi.waitFor(async () => expect(await alerts('2s', 16 * 1024)).toEqual([0, 0]), 30_000);
  });
});
