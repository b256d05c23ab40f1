import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { canStart, startService } from '../services/index.js';
import { freePort } from '../services/port.js';
import { serverDirectory } from '../services/process.js';
import { promtool } from '../services/prometheus.js';
import type { RunningService } from '../services/service.js';
import { compiled } from '../compiled/index.js';

const deploy = join(import.meta.dirname, '../../deploy/prometheus');
const read = (name: string) => readFile(join(deploy, name), 'utf8');
const possible = canStart('prometheus') && canStart('alertmanager') && canStart('postgres');

/** The file with other numbers and addresses; each has to be found. */
async function derived(name: string, changes: Readonly<Record<string, string>>): Promise<string> {
  let text = await read(name);
  for (const [before, after] of Object.entries(changes)) {
    expect(text, name).toContain(before);
    text = text.replaceAll(before, after);
  }
  return text;
}

interface Alert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
}

describe.skipIf(!possible)('deploy/prometheus on a real Prometheus', () => {
  const alerts: Alert[] = [];
  const apps: ChildProcess[] = [];
  const ports: number[] = [];
  let directory: string;
  let database: RunningService;
  let prometheus: RunningService;
  let alertmanager: RunningService;
  let webhook: Server;

  async function launch(port: number, commit: string, url = ''): Promise<ChildProcess> {
    const file = compiled(new URL('app.ts', import.meta.url));
    const child = spawn(process.execPath, [file, String(port), commit, url], {
      stdio: 'inherit',
    });
    await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/__lbheartbeat__`), {
      timeout: 30_000,
      interval: 50,
    });
    return child;
  }

  async function query(
    expr: string,
  ): Promise<readonly { metric: Record<string, string>; value: [number, string] }[]> {
    const answer = await fetch(`${prometheus.url}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const body = (await answer.json()) as { status: string; error?: string; data: { result: [] } };
    expect(body.error ?? body.status, expr).toBe('success');
    return body.data.result;
  }

  const told = (status: Alert['status'], labels: Readonly<Record<string, string>>) =>
    vi.waitFor(
      () =>
        expect(alerts).toContainEqual(
          expect.objectContaining({ status, labels: expect.objectContaining(labels) }),
        ),
      { timeout: 40_000, interval: 100 },
    );

  beforeAll(async () => {
    directory = await serverDirectory('rules');
    webhook = createServer(async (req, res) => {
      const pieces: Buffer[] = [];
      for await (const piece of req) pieces.push(piece as Buffer);
      alerts.push(...(JSON.parse(Buffer.concat(pieces).toString()).alerts as Alert[]));
      res.end();
    });
    await once(webhook.listen(0, '127.0.0.1'), 'listening');
    const { port } = webhook.address() as AddressInfo;
    database = await startService('postgres');
    alertmanager = await startService('alertmanager', {
      args: [
        await derived('alertmanager.yml', {
          'http://127.0.0.1:9099/alerts': `http://127.0.0.1:${port}/`,
          'group_wait: 30s': 'group_wait: 100ms',
          'group_interval: 5m': 'group_interval: 300ms',
        }),
      ],
    });
    for (let index = 0; index < 4; index += 1) ports.push(await freePort());
    apps.push(
      ...(await Promise.all(
        ports.map((each, index) => launch(each, 'aaa', index === 0 ? database.url : '')),
      )),
    );
    const rules = join(directory, 'rules.yml');
    await writeFile(rules, await derived('rules.yml', { 'for: 2m': 'for: 1s', 'for: 30m': 'for: 3s' }));
    prometheus = await startService('prometheus', {
      args: [
        await derived('prometheus.yml', {
          'scrape_interval: 15s': 'scrape_interval: 500ms',
          'scrape_timeout: 10s': 'scrape_timeout: 500ms',
          'evaluation_interval: 15s': 'evaluation_interval: 500ms',
          '- rules.yml': `- ${rules}`,
          '127.0.0.1:9093': alertmanager.url.replace('http://', ''),
          "'127.0.0.1:8000', '127.0.0.1:8010', '127.0.0.1:8020', '127.0.0.1:8030'": ports
            .map((each) => `'127.0.0.1:${each}'`)
            .join(', '),
        }),
      ],
    });
  });

  afterAll(async () => {
    for (const app of apps) app.kill('SIGKILL');
    database?.thaw();
    await Promise.all([prometheus, alertmanager, database].map((service) => service?.stop()));
    webhook?.close();
    webhook?.closeAllConnections();
    await rm(directory, { recursive: true, force: true });
  });

  test('promtool finds nothing wrong in the files, and their unit tests pass', async () => {
    await promtool('check', 'config', join(deploy, 'prometheus.yml'));
    await promtool('check', 'rules', join(deploy, 'rules.yml'));
    await promtool('test', 'rules', join(deploy, 'rules.test.yml'));
  });

  test('promtool check metrics finds nothing wrong in a scrape', async () => {
    const scrape = await (await fetch(`http://127.0.0.1:${ports[0]}/__metrics__`)).text();
    expect(scrape).toContain('lifesign_check_up{check="check_database_connected"} 1');
    const { spawn: run } = await import('node:child_process');
    const child = run('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (said += chunk));
    child.stdin.end(scrape);
    const [code] = await once(child, 'close');
    expect([code, said]).toEqual([0, '']);
  });

  test('it scrapes four instances, and each query of the dashboard gives what the panel needs', async () => {
    await vi.waitFor(async () => expect(await query('lifesign_heartbeat_level == 0')).toHaveLength(4), {
      timeout: 20_000,
      interval: 200,
    });
    const { panels, templating } = JSON.parse(await read('dashboard.json'));
    const queries: string[] = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.map(({ expr }) => expr.replaceAll('$job', '.*')),
    );
    expect(queries.length).toBeGreaterThan(10);
    const names = [...queries.join(' ').matchAll(/\blifesign_\w+/g)].map(([name]) => name);
    const missing = async () => {
      const known = await fetch(`${prometheus.url}/api/v1/label/__name__/values`);
      const { data } = (await known.json()) as { data: string[] };
      // Nothing is blocked here, without a watchdog, and no check has a message.
      return names.filter((name) => !data.includes(name) && !/event_loop|check_message/.test(name));
    };
    await expect.poll(missing, { timeout: 20_000, interval: 200 }).toEqual([]);
    for (const expr of queries) await query(expr);
    expect(await query('count(lifesign_build_info{job="shop"})')).toMatchObject([
      { value: [expect.anything(), '4'] },
    ]);
    expect(JSON.stringify(templating)).toContain('label_values(lifesign_build_info, job)');
  });

  test('a frozen database raises its alert at the webhook, and thawed resolves it', async () => {
    const instance = `127.0.0.1:${ports[0]}`;
    database.freeze();
    const failing = {
      alertname: 'LifesignCheckFailing',
      check: 'check_database_connected',
      instance,
      job: 'shop',
    };
    await told('firing', failing);
    database.thaw();
    await told('resolved', failing);
    // On a busy machine the scrape of another may take too long.
    const others = alerts.filter(({ labels }) => labels['instance'] !== instance);
    expect(others.filter(({ labels }) => labels['alertname'] !== 'LifesignInstanceGone')).toEqual([]);
  });

  test('a rollout that stands still raises its alert, and an instance that is gone another', async () => {
    apps[3]?.kill('SIGKILL');
    await told('firing', { alertname: 'LifesignInstanceGone', instance: `127.0.0.1:${ports[3]}` });
    apps[3] = await launch(ports[3] ?? 0, 'bbb');
    await told('firing', { alertname: 'LifesignRolloutStuck', job: 'shop' });
    await told('resolved', { alertname: 'LifesignInstanceGone', instance: `127.0.0.1:${ports[3]}` });
  });
});
