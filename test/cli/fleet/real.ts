import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { install, isInstalled, locate } from '../../services/install.js';
import { freePort, runServer, serverDirectory } from '../../services/process.js';
import type { ServiceDefinition } from '../../services/service.js';

/** Arguments: the directory that holds `prometheus.yml`. */
const prometheus: ServiceDefinition = {
  name: 'prometheus',
  variable: 'PROMETHEUS_URL',
  commands: ['prometheus'],
  packages: ['prometheus'],
  async start({ args: [home = ''] = [] } = {}) {
    const port = await freePort();
    const directory = await serverDirectory('prometheus');
    return runServer({
      command: locate(prometheus, 'prometheus'),
      args: [
        `--config.file=${join(home, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--web.external-url=http://localhost/prometheus',
      ],
      port,
      directory,
      url: `http://127.0.0.1:${port}/prometheus`,
    });
  },
};

/** Whether a Prometheus can be started here; installs it where that is possible. */
export async function canStartPrometheus(): Promise<boolean> {
  await install([prometheus]).catch(() => {});
  return isInstalled(prometheus);
}

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
  // JSON is YAML.
  await writeFile(join(home, 'prometheus.yml'), JSON.stringify(config));
  await watch({});
  return { ...(await prometheus.start({ args: [home] })), watch };
}
