// The tables of contributing/scale.md. The same constants and the same seed give the same tables: a test holds the page to them.
import type { Constants } from './constants.js';
import type { Prober, Settings } from './instance.js';
import { type Fleet, loadOf, meanOf } from './load.js';
import { recover } from './outage.js';
import { sight } from './rollout.js';
import { keptOf } from './series.js';

const seed = 20_261_115;
const sizes = [10, 1000, 50_000] as const;
const kubelet: readonly Prober[] = [{ every: 10 }];
const balanced: readonly Prober[] = [{ every: 10 }, { every: 5 }, { every: 5 }, { every: 5 }];
const eager: readonly Prober[] = [{ every: 1 }, { every: 1 }, { every: 1 }, { every: 1 }];
/** Processors of the database in the outage. */
const cores = 8;

const cases: readonly (readonly [string, readonly Prober[], string, Settings])[] = [
  ['one every 10 s', kubelet, 'none', {}],
  ['one every 10 s', kubelet, '`cacheFor: 30000`', { cacheFor: 30 }],
  ['one every 10 s, three every 5 s', balanced, 'none', {}],
  ['one every 10 s, three every 5 s', balanced, '`coalesce`', { coalesce: true }],
  ['one every 10 s, three every 5 s', balanced, '`cacheFor: 5000`', { cacheFor: 5 }],
  ['one every 10 s, three every 5 s', balanced, '`cacheFor: 30000`', { cacheFor: 30 }],
  ['one every 10 s, three every 5 s', balanced, '`probeEvery: 1000`', { probeEvery: 1 }],
  ['one every 10 s, three every 5 s', balanced, '`probeEvery: 10000`', { probeEvery: 10 }],
  ['four every second', eager, 'none', {}],
  ['four every second', eager, '`coalesce`', { coalesce: true }],
  ['four every second', eager, '`cacheFor: 5000`', { cacheFor: 5 }],
  ['four every second', eager, '`probeEvery: 1000`', { probeEvery: 1 }],
];

const fleetOf = (
  instances: number,
  probers: readonly Prober[],
  settings: Settings,
  { database }: Constants,
): Fleet => ({ instances, probers, settings, took: database.took, seconds: 130, seed });

/** What measure.ts found on the machine. */
export function constantsTable({ database, redis, heartbeat, scrape }: Constants): string {
  const micro = (value: number) => `${figure(value * 1e6)} µs`;
  const each = ({ base, perCheck }: Constants['scrape']['series']) =>
    `${figure(base)}, plus ${figure(perCheck)}`;
  return table(
    ['measured', 'value'],
    [
      ['CPU time of PostgreSQL for one `check_database_connected`', micro(database.query)],
      ['CPU time of PostgreSQL for a new connection', micro(database.connect)],
      ['CPU time of Redis for one `check_redis_connected`', micro(redis.ping)],
      ['CPU time of the instance for a heartbeat with both', micro(heartbeat)],
      ['metric series per instance, plus per check', each(scrape.series)],
      ['bytes per scrape, plus per check', each(scrape.bytes)],
      ["bytes per sample on Prometheus' disk", figure(scrape.bytesPerSample)],
    ],
  );
}

/** What the probes cost what is shared. */
export function probesTable(constants: Constants): string {
  const { database, redis } = constants;
  const rows = cases.map(([probes, probers, name, settings]) => {
    const loads = sizes.map((instances) => meanOf(fleetOf(instances, probers, settings, constants)));
    const largest = loads.at(-1) ?? 0;
    return [
      probes,
      name,
      ...loads.map(figure),
      percent(largest * database.query),
      percent(largest * redis.ping),
    ];
  });
  const heads = ['probes of an instance', 'setting', ...sizes.map((size) => `${figure(size)} instances`)];
  return table([...heads, 'PostgreSQL, 50,000', 'Redis, 50,000'], rows);
}

/** Whether all ask at once: the busiest tenth of a second after a minute in which all began at the same moment. */
export function stepTable(constants: Constants): string {
  const settings: readonly (readonly [string, Settings])[] = [
    ['none', {}],
    ['`cacheFor: 5000`', { cacheFor: 5 }],
    ['`cacheFor: 30000`', { cacheFor: 30 }],
    ['`probeEvery: 10000`', { probeEvery: 10 }],
  ];
  const rows = settings.map(([name, chosen]) => {
    const at = (inStep: boolean) => loadOf({ ...fleetOf(10_000, kubelet, chosen, constants), inStep }).peak;
    return [name, figure(at(false)), figure(at(true))];
  });
  return table(['setting', 'probes spread', 'probes in step'], rows);
}

/** The seconds after an outage of half a minute. */
export function outageTable(constants: Constants): string {
  const cases: readonly (readonly ['frozen' | 'restarted', string, Settings])[] = [
    ['frozen', 'none', {}],
    ['frozen', '`coalesce` or the probes', { coalesce: true }],
    ['frozen', '`cacheFor: 5000`', { cacheFor: 5 }],
    ['restarted', 'none', {}],
    ['restarted', '`cacheFor: 5000`', { cacheFor: 5 }],
  ];
  const { query, connect, took } = constants.database;
  const common = { probers: balanced, seed, took, lasted: 30, query, connect, cores };
  const rows = cases.flatMap(([kind, name, settings]) =>
    [1000, 50_000].map((instances) => {
      const { firstSecond, peak, done } = recover({ ...common, instances, settings, kind });
      return [kind, name, figure(instances), figure(firstSecond), figure(peak), seconds(done)];
    }),
  );
  return table(
    ['the database was', 'setting', 'instances', 'first second', 'busiest 0.1 s', 'queue empty after'],
    rows,
  );
}

/** How long until a bad build is seen. */
export function rolloutTable(): string {
  const common = {
    instances: 1000,
    surge: 0.25,
    startUp: [5, 15],
    probeEvery: 10,
    failureThreshold: 3,
    stale: 0,
    scrapeEvery: 15,
    evaluateEvery: 15,
    alertFor: 60,
    rounds: 100,
    seed,
  } as const;
  const variants: readonly (readonly [string, Partial<Parameters<typeof sight>[0]>])[] = [
    ['fails at once', { failsAfter: 0 }],
    ['fails at once, `cacheFor: 30000`', { failsAfter: 0, stale: 30 }],
    ['fails at once, probes every second', { failsAfter: 0, probeEvery: 1 }],
    ['fails after 30 s', { failsAfter: 30 }],
    ['fails after 30 s, a tenth at a time', { failsAfter: 30, surge: 0.1 }],
    ['fails after 30 s, scrapes every minute', { failsAfter: 30, scrapeEvery: 60, evaluateEvery: 60 }],
  ];
  const rows = variants.map(([name, more]) => {
    const { probe, fleet, alert } = sight({ ...common, failsAfter: 0, ...more });
    const cell = ({ median, p95, replaced }: typeof probe) =>
      `${seconds(median)} (${seconds(p95)}), ${figure(replaced)}`;
    return [name, cell(probe), cell(fleet), cell(alert)];
  });
  return table(
    ['the bad build', 'first instance taken out', 'shown by the fleet', 'alert after `for: 1m`'],
    rows,
  );
}

/** What Prometheus keeps. */
export function seriesTable(constants: Constants): string {
  const rows = sizes.flatMap((instances) =>
    [15, 60].map((scrapeEvery) => {
      const kept = keptOf({ instances, checks: 10, scrapeEvery }, constants);
      return [
        figure(instances),
        `${scrapeEvery} s`,
        figure(kept.series),
        figure(kept.samplesPerSecond),
        `${bytes(kept.bytesPerSecond)}/s`,
        bytes(kept.bytesPerDay),
      ];
    }),
  );
  return table(['instances', 'scrape', 'series', 'samples a second', 'scraped', 'disk a day'], rows);
}

/** Three digits at most, with commas. */
export function figure(value: number): string {
  const digits = value >= 1000 ? Math.round(Number(value.toPrecision(3))) : Number(value.toPrecision(2));
  return digits.toLocaleString('en-US', { maximumFractionDigits: 6 });
}

const percent = (share: number) => `${figure(share * 100)} % of a core`;
const seconds = (value: number) => `${figure(value)} s`;

function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.max(0, Math.min(units.length - 1, Math.floor(Math.log10(value) / 3)));
  return `${figure(value / 1000 ** power)} ${units[power]}`;
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

/** A table of Markdown. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Every table with the name it has in the page. */
export function tablesOf(constants: Constants): Readonly<Record<string, string>> {
  return {
    constants: constantsTable(constants),
    probes: probesTable(constants),
    step: stepTable(constants),
    outage: outageTable(constants),
    rollout: rolloutTable(),
    series: seriesTable(constants),
  };
}
