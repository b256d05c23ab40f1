import { parse as parseToml } from 'smol-toml';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readDeploy } from './described.js';

test('Cloud Run: a start may take at most 240 s, and probes are within their periods', () => {
  const [container] = parse(readDeploy('cloud-run/service.yaml')).spec.template.spec.containers;
  const { startupProbe, readinessProbe, livenessProbe } = container;
  expect(startupProbe.failureThreshold * startupProbe.periodSeconds).toBeLessThanOrEqual(240);
  for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
    expect(probe.timeoutSeconds).toBeLessThanOrEqual(probe.periodSeconds);
  }
});

test('Lambda: a 404 is not healthy, for adapters of both kinds', () => {
  const { Variables } = parse(readDeploy('lambda/template.yaml')).Resources.Shop.Properties.Environment;
  const [low = 0, high = 0] = Variables.AWS_LWA_READINESS_CHECK_HEALTHY_STATUS.split('-').map(Number);
  const isHealthy = (status: number) => status >= low && status <= high;
  const wasHealthy = (status: number) =>
    status < Number(Variables.AWS_LWA_READINESS_CHECK_MIN_UNHEALTHY_STATUS);
  for (const healthy of [isHealthy, wasHealthy])
    expect([200, 404, 503].map(healthy)).toEqual([true, false, false]);
  expect(Variables.AWS_LWA_PORT).toBe(Variables.PORT);
});

test('Fly: waits for the drain, and listens where its private network asks', () => {
  expect(parseToml(readDeploy('fly/fly.toml'))).toMatchObject({ kill_timeout: '30s', env: { HOST: '::' } });
});
