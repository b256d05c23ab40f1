import { Ajv } from 'ajv';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readDeploy } from './described.js';
import { appRunner, cloudRun, fly, lambda, railway, render } from './platform-schemas.js';

const ajv = new Ajv({ strict: false });
type Read = (text: string) => unknown;
const files: readonly (readonly [string, Read, object])[] = [
  ['cloud-run/service.yaml', parse, cloudRun],
  ['lambda/template.yaml', parse, lambda],
  ['fly/fly.toml', parseToml, fly],
  ['app-runner/template.yaml', parse, appRunner],
  ['render/render.yaml', parse, render],
  ['railway/railway.json', JSON.parse, railway],
];

/** Maps whose keys are the user's own. */
const free = /^(?:annotations|env|Variables|Resources|checks)$/;

type Document = Record<string, unknown>;

/** Every object in a document whose keys are the platform's, and the key. */
function* keysIn(value: unknown, name = ''): Generator<readonly [Document, string]> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* keysIn(item);
    return;
  }
  const object = value as Document;
  for (const key of Object.keys(object)) {
    if (!free.test(name) || key.startsWith('AWS_LWA_')) yield [object, key];
    yield* keysIn(object[key], key);
  }
}

describe.each(files)('%s', (file, read, schema) => {
  const accepts = ajv.compile(schema);

  test('has only keys and values that the platform knows', () => {
    expect(accepts(read(readDeploy(file))), ajv.errorsText(accepts.errors)).toBe(true);
  });

  test('the schema notices a misspelled key wherever it is', () => {
    const document: unknown = read(readDeploy(file));
    const keys = [...keysIn(document)];
    expect(keys.length).toBeGreaterThan(5);
    for (const [object, key] of keys) {
      object[`${key}x`] = object[key];
      expect(accepts(document), `${key}x`).toBe(false);
      delete object[`${key}x`];
    }
    expect(accepts(document)).toBe(true);
  });
});

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
