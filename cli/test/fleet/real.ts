import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { services } from '../../../test/services/list.js';
import { serverDirectory } from '../../../test/services/process.js';

/** A Prometheus that scrapes the instances of an exporter on `port` as `i0:8000`, `i1:8000` and so on, by a path each. */
export async function scraping(port: number) {
  const home = await serverDirectory('prometheus-home');
  const targets = join(home, 'targets.json');
  const relabel = [
    {
      source_labels: ['__address__'],
      regex: 'i(\\d+):.*',
      target_label: '__metrics_path__',
      replacement: '/$1/metrics',
    },
    { source_labels: ['__address__'], target_label: 'instance' },
    { target_label: '__address__', replacement: `127.0.0.1:${port}` },
  ];
  const config = {
    global: { scrape_interval: '5s', scrape_timeout: '5s' },
    scrape_configs: [
      {
        job_name: 'fleet',
        file_sd_configs: [{ files: [targets], refresh_interval: '1s' }],
        relabel_configs: relabel,
      },
    ],
  };
  /** Which instances it shall scrape from now on: their numbers by the name of their service. */
  const watch = (services: Readonly<Record<string, readonly number[]>>) =>
    writeFile(
      targets,
      JSON.stringify(
        Object.entries(services).map(([job, numbers]) => ({
          targets: numbers.map((number) => `i${number}:8000`),
          labels: { job },
        })),
      ),
    );
  await watch({});
  // JSON is YAML.
  const { url, stop } = await services.prometheus.start({ args: [JSON.stringify(config)] });
  return { url, watch, stop: () => stop().then(() => rm(home, { recursive: true, force: true })) };
}
