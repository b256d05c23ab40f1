import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { CheckOptions } from 'lifesign/checks';
import type { HealthOptions } from 'lifesign';
import * as checks from 'lifesign/checks';
import { Health } from 'lifesign/node';
import { issue } from '../checks/issue.js';
import { canStart, startService } from '../services/index.js';
import { freePort } from '../services/port.js';
import { serverDirectory } from '../services/process.js';
import type { RunningService } from '../services/service.js';
import { compiled } from '../compiled/index.js';
import { whole } from '../whole.js';

const deploy = join(import.meta.dirname, '../../deploy/prometheus');
const read = (name: string) => readFile(join(deploy, name), 'utf8');

interface Rule {
  readonly alert?: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
}
interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}
interface RuleTest {
  readonly alert_rule_test?: readonly {
    readonly alertname: string;
    readonly exp_alerts?: readonly { readonly exp_labels: Readonly<Record<string, string>> }[];
  }[];
}

/** `LifesignNotReady warning`. */
const nameOf = (alert = '', { severity = '' }: Readonly<Record<string, string>> = {}) =>
  `${alert} ${severity}`;

async function alertRules(): Promise<readonly Rule[]> {
  const { groups } = parse(await read('rules.yml')) as { groups: readonly { rules: readonly Rule[] }[] };
  return groups.flatMap(({ rules }) => rules).filter(({ alert }) => alert !== undefined);
}

test('promtool tries every rule both ways: once it fires, once it does not', async () => {
  const { tests } = parse(await read('rules.test.yml')) as { tests: readonly RuleTest[] };
  const cases = tests.flatMap(({ alert_rule_test: tried = [] }) => tried);
  const fired = new Set(
    cases.flatMap(({ alertname, exp_alerts: alerts = [] }) =>
      alerts.map(({ exp_labels: labels }) => nameOf(alertname, labels)),
    ),
  );
  const quiet = new Set(
    cases.filter((each) => each.exp_alerts === undefined).map(({ alertname }) => alertname),
  );
  const rules = await alertRules();
  expect(rules.map(({ alert, labels }) => nameOf(alert, labels)).filter((name) => !fired.has(name))).toEqual(
    [],
  );
  expect(rules.map(({ alert = '' }) => alert).filter((name) => !quiet.has(name))).toEqual([]);
});

type Finding = () => readonly (checks.Error | checks.Warning)[];
const broken: Finding = () => [new checks.Error('It is broken', { id: 'shop.E001' })];
const slow: Finding = () => [new checks.Warning('It is slow', { id: 'shop.W001' })];

/** These are due from the start: certificates, and an application that never says that it has started. */
const dueAtOnce = /^LifesignCertificateExpiring | starting$/;

const expected = [
  'LifesignCheckFailing critical shop',
  'LifesignCheckFailing critical stalled',
  'LifesignCheckFailing critical wedged',
  'LifesignCheckFailing warning warned',
  'LifesignCheckCapped warning capped',
  'LifesignNotReady warning starting',
  'LifesignServiceNotReady critical wedged',
  'LifesignNotLive critical wedged',
  'LifesignInstanceGone critical halved',
  'LifesignServiceGone critical gone',
  'LifesignServiceMissing critical missing',
  'LifesignRestarted info looping',
  'LifesignCrashLoop critical looping',
  'LifesignRolloutStuck warning rollout',
  'LifesignShortLived warning gone',
  'LifesignShortLived warning halved',
  'LifesignShortLived warning missing',
  'LifesignNoHeartbeats warning silent',
  'LifesignCertificateExpiring critical expired',
  'LifesignCertificateExpiring warning expiring',
  'LifesignEventLoopBlocked warning lossy',
  'LifesignHeapGrowing warning leaking',
  'LifesignLogLinesDropped warning lossy',
];
const standsStill = /^Lifesign(?:InstanceGone|ServiceGone|NoHeartbeats) /;

/** An instance in this process, with a check that finds what the test says. */
interface Served {
  readonly server: Server;
  readonly health: Health;
  finding: Finding;
}

describe.skipIf(!canStart('prometheus'))('the alerts on a real Prometheus', () => {
  const servers: Server[] = [];
  const healths: Health[] = [];
  const children = new Map<number, ChildProcess>();
  /** Targets by job: Prometheus reads them from a file. */
  const targets = new Map<string, number[]>();
  let directory: string;
  let prometheus: RunningService;

  async function serve(
    job: string,
    options: Partial<HealthOptions> = {},
    rules: CheckOptions = {},
    commit = 'aaa',
    certificate = '',
  ): Promise<Served> {
    const server = createServer((_req, res) => res.end());
    const health = new Health(server, {
      metrics: { refresh: 400 },
      summary: false,
      logger: false,
      probes: { probeEvery: 300 },
      ...options,
    });
    const served: Served = { server, health, finding: () => [] };
    health.check('storage', () => served.finding(), rules);
    if (certificate !== '') {
      const file = join(directory, `${job}.pem`);
      await writeFile(file, certificate);
      health.check('own', checks.certificate({ file, warn: '1d' }));
    }
    health.versionCallback(() => ({ commit, version: '1.0.0' }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    healths.push(health);
    const { port } = server.address() as AddressInfo;
    targets.set(job, [...(targets.get(job) ?? []), port]);
    return served;
  }

  /** The series of prom-client beside lifesign's, of a heap that grows with each scrape. */
  async function serveHeap(job: string): Promise<{ growth: number }> {
    const heap = { growth: 0, used: 200 * 2 ** 20 };
    const server = createServer((_req, res) => {
      heap.used += heap.growth;
      res.setHeader('Content-Type', 'text/plain; version=0.0.4');
      res.end(`lifesign_build_info{commit="aaa"} 1\nnodejs_heap_size_used_bytes ${heap.used}\n`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    targets.set(job, [(server.address() as AddressInfo).port]);
    return heap;
  }

  async function launch(port: number, ...args: readonly string[]): Promise<void> {
    const file = compiled(new URL('alerts-app.ts', import.meta.url));
    // Nothing reads its output.
    const child = spawn(process.execPath, [file, String(port), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.set(port, child);
    await expect
      .poll(
        () =>
          fetch(`http://127.0.0.1:${port}/__heartbeat__`).then(
            ({ ok }) => ok,
            () => false,
          ),
        { timeout: 30_000 },
      )
      .toBe(true);
  }

  async function discover(): Promise<void> {
    const list = [...targets].map(([job, ports]) => ({
      targets: ports.map((port) => `127.0.0.1:${port}`),
      labels: { job },
    }));
    const file = join(directory, 'targets.json');
    await writeFile(`${file}.new`, JSON.stringify(list));
    await rename(`${file}.new`, file);
  }

  const ask = async (expr: string) => {
    const answer = await fetch(`${prometheus.url}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const { data } = (await answer.json()) as { data: { result: Sample[] } };
    return data.result;
  };
  /** `LifesignNotReady warning shop` for each alert that has been in a state. */
  const alerts = async (state: 'pending' | 'firing') => {
    const found = await ask(`count_over_time(ALERTS{alertstate="${state}"}[5m])`);
    const unscraped = await ask('min_over_time(up[5m]) == 0');
    // On a busy machine one that nobody has ended may stand still for longer than a scrape takes: then the alert is right.
    const late = new Set(unscraped.map(({ metric }) => metric['job']));
    return [
      ...new Set(
        found.flatMap(({ metric }) => {
          const alert = `${metric['alertname']} ${metric['severity']} ${metric['job']}`;
          return late.has(metric['job']) && standsStill.test(alert) && !expected.includes(alert)
            ? []
            : [alert];
        }),
      ),
    ];
  };

  // For each try: what Prometheus has seen in the first would be seen in the second.
  beforeEach(async () => {
    for (const each of [servers, healths]) each.length = 0;
    for (const each of [children, targets]) each.clear();
    directory = await serverDirectory('alerts');
    const rules = join(directory, 'rules.yml');
    const text = (await read('rules.yml'))
      .replaceAll(/\bfor: \d+m/g, 'for: 1s')
      .replaceAll('[1h]', '[5m]')
      .replaceAll('[2m]', '[15s]')
      .replaceAll('[15m]', '[2m]')
      // No instance of this test lives for long.
      .replaceAll('[15m:15s]', '[2m:500ms]')
      .replaceAll('< 60', '< 3600')
      .replaceAll(/\[(?:5|10|30)m\]/g, '[6s]');
    await writeFile(rules, text);
    const scrape = `{ job_name: all, metrics_path: /__metrics__, file_sd_configs: [{ files: ['${directory}/targets.json'] }] }`;
    prometheus = await startService('prometheus', {
      args: [
        `global: { scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms }
rule_files: ['${rules}']
scrape_configs: [${scrape}]
`,
      ],
    });
  });

  afterEach(async () => {
    for (const child of children.values()) child.kill('SIGKILL');
    for (const health of healths) health.close();
    for (const server of servers) server.close().closeAllConnections();
    await prometheus?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test.runIf(whole)(
    'none fires while all is well; each fires for its fault, and for no other service',
    async () => {
      const [looping, lossy] = [await freePort(), await freePort()];
      targets.set('looping', [looping]);
      targets.set('lossy', [lossy]);
      await Promise.all([launch(looping), launch(lossy, String(await freePort()))]);
      await serve('healthy');
      const [shop] = [await serve('shop'), await serve('shop')];
      const warned = await serve('warned', {}, { scope: 'shared' });
      const capped = await serve('capped', {}, { maxLevel: 'info' });
      const wedged = await serve('wedged', {}, { restartAfter: 300 });
      const [halved] = [await serve('halved'), await serve('halved')];
      const gone = await serve('gone');
      await serve('missing');
      await serve('starting');
      await serve('starting', { probes: { probeEvery: 300, startWhen: 'called' } });
      const work = { pending: 0, processed: () => 1, stalledAfter: 300 };
      const [stalled] = [await serve('stalled'), await serve('stalled')];
      stalled.health.check('orders', checks.progress({ ...work, pending: () => work.pending }));
      const heap = await serveHeap('leaking');
      await serve('rollout');
      await serve('expiring', {}, {}, 'aaa', issue(-1, 10).cert);
      await serve('expired', {}, {}, 'aaa', issue(-1, 3).cert);
      const silent = await serve('silent', { metrics: true, probes: false });
      const port = (silent.server.address() as AddressInfo).port;
      const count = [...targets.values()].flat().length;
      await discover();
      const up = async () => Number((await ask('sum(up)'))[0]?.value[1]);
      await expect.poll(up, { timeout: 30_000 }).toBe(count);
      expect((await alerts('firing')).filter((alert) => !dueAtOnce.test(alert))).toEqual([]);

      await fetch(`http://127.0.0.1:${port}/__heartbeat__`);
      for (const each of [shop, wedged, capped]) each.finding = broken;
      warned.finding = slow;
      work.pending = 5;
      heap.growth = 2 ** 20;
      for (const { server } of [halved, gone]) server.close().closeAllConnections();
      targets.delete('missing');
      await serve('rollout', {}, {}, 'bbb');
      await discover();
      await fetch(`http://127.0.0.1:${lossy}/flood`);
      await fetch(`http://127.0.0.1:${lossy}/block`);
      // Scraped before it is ended: what Prometheus has not seen is not a restart.
      for (let restart = 0; restart < 3; restart += 1) {
        const before = await started(looping);
        children.get(looping)?.kill('SIGKILL');
        await launch(looping);
        await expect.poll(() => started(looping), { timeout: 30_000 }).toBeGreaterThan(before);
      }

      const fired = async () => (await alerts('firing')).toSorted();
      await expect.poll(fired, { timeout: 60_000, interval: 500 }).toEqual(expected.toSorted());
      const rules = await alertRules();
      const kindOf = (alert: string) => alert.split(' ').slice(0, 2).join(' ');
      const tried = new Set(expected.map(kindOf));
      const names = rules.map(({ alert, labels }) => nameOf(alert, labels));
      expect(names.filter((name) => !tried.has(name))).toEqual([]);
      // Those that wait before they fire were pending.
      const waiting = rules
        .filter((rule) => rule.for !== undefined)
        .map(({ alert, labels }) => nameOf(alert, labels));
      const pending = new Set((await alerts('pending')).map(kindOf));
      expect(waiting.filter((name) => !pending.has(name))).toEqual([]);

      // Mended: the alert ends.
      for (const each of [shop, wedged, warned, capped]) each.finding = () => [];
      work.pending = 0;
      const still = async () =>
        (await ask('ALERTS{alertstate="firing", job=~"shop|warned|wedged|capped|stalled"}')).map(
          ({ metric }) => metric['alertname'],
        );
      await expect.poll(still, { timeout: 30_000 }).toEqual([]);
    },
    240_000,
  );

  async function started(port: number): Promise<number> {
    const series = `lifesign_start_time_seconds{instance="127.0.0.1:${port}"}`;
    const [sample] = await ask(`max(last_over_time(${series}[5m]))`);
    return Number(sample?.value[1] ?? 0);
  }
});
