// node --import tsx bench/fleet.mjs [minutes]: how long a refresh of `lifesign-cli fleet` takes on a real Prometheus that scrapes 1,000
// instances of ten checks, after so many minutes of samples (1 where none are given).
import { setTimeout as sleep } from 'node:timers/promises';
import { prometheusAt } from '../cli/src/fleet/prometheus.ts';
import { questionsFor } from '../cli/src/fleet/questions.ts';
import { table } from '../cli/src/fleet/table.ts';
import { Watch } from '../cli/src/fleet/watch.ts';
import { exporter } from '../cli/test/fleet/exporter.ts';
import { scraping } from '../cli/test/fleet/real.ts';
import { install } from '../test/services/install.ts';
import { services } from '../test/services/list.ts';

const minutes = Number(process.argv[2] ?? 1);
const rounds = 20;
const started = Date.now() / 1000 - 3600;

/** Ten of them fail, one in four has the newer build. */
const instances = Array.from({ length: 1000 }, (_, index) => ({
  version: index % 4 === 0 ? '1.4.2' : '1.4.1',
  commit: (index % 4 === 0 ? '9f3c' : '0123').repeat(10),
  started,
  checks: Object.fromEntries(
    Array.from({ length: 10 }, (_one, check) => [
      `check_${check}`,
      { level: index % 100 === 3 && check === 2 ? 40 : 0, id: 'health.E001' },
    ]),
  ),
}));

await install([services.prometheus]);
const exported = await exporter(instances);
const prometheus = await scraping(exported.port);
try {
  await prometheus.watch({ shop: instances.map((_one, index) => index) });
  const settings = { headers: [], insecure: false, timeout: 60_000, env: {} };
  const watch = new Watch(prometheusAt(prometheus.url, settings), questionsFor([], 3_600_000), 'job');
  const io = { stdout: { isTTY: false, write() {} }, env: {} };
  const refresh = async () => {
    await watch.look();
    return table({ fleet: watch.fleet, address: watch.address, most: 20 }, io);
  };
  const end = performance.now() + minutes * 60_000;
  while (performance.now() < end || watch.fleet?.counts.ok !== 990) {
    await sleep(1000);
    await watch.look();
    if (performance.now() > end + 60_000)
      throw new Error(`not scraped: ${JSON.stringify(watch.fleet?.counts)}`);
  }
  /** Seconds of processor time of this process, which is the exporter too, and of Prometheus. */
  const processor = async () => {
    const text = await (await fetch(`${prometheus.url}/metrics`)).text();
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6 + Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
  };
  // What the scrapes take, so that it is not counted.
  const idle = { at: performance.now(), used: await processor() };
  await sleep(20_000);
  const usual = ((await processor()) - idle.used) / (performance.now() - idle.at);
  const busy = { at: performance.now(), used: await processor() };
  const taken = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = performance.now();
    await refresh();
    taken.push(performance.now() - before);
    await sleep(200);
  }
  const used = (await processor()) - busy.used - usual * (performance.now() - busy.at);
  taken.sort((one, other) => one - other);
  const shown = [taken[0], taken[rounds / 2], taken.at(-1)].map((time) => `${Math.round(time)} ms`);
  console.log(`processor time of a refresh, Prometheus included: ${Math.round((used * 1000) / rounds)} ms`);
  console.log(
    `a refresh with ${minutes} min of samples: fastest ${shown[0]}, median ${shown[1]}, slowest ${shown[2]}`,
  );
} finally {
  await prometheus.stop();
  await exported.close();
}
