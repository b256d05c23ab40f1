import { afterEach, expect, it, vi } from 'vitest';
import { readFeature } from '../../../src/core/options/feature-options.js';
import { features } from '../../../src/core/options/features.js';
import { SettingsHealth } from '../../../src/profiles/settings/settings-health.js';
import { createHandler } from 'lifesign';
import { makeHealth } from '../../metrics/make.js';

const readMetrics = (given: unknown, label?: string, texts?: boolean) =>
  readFeature(features.metrics, given, label, texts);

afterEach(() => vi.unstubAllEnvs());

const defaults = { path: '/__metrics__', refresh: undefined, registry: undefined, requests: false };

it('are off by default, and by false', () => {
  expect(readMetrics(undefined)).toBeUndefined();
  vi.stubEnv('HEALTH_METRICS', 'true');
  expect(readMetrics(false)).toBeUndefined();
});

it('are on by true, by an object, by their variable and by their path', () => {
  expect(readMetrics(true)).toEqual(defaults);
  expect(readMetrics({})).toEqual(defaults);
  vi.stubEnv('HEALTH_METRICS', '1');
  expect(readMetrics(undefined)).toEqual(defaults);
  vi.unstubAllEnvs();
  vi.stubEnv('HEALTH_METRICS_PATH', '/metrics');
  vi.stubEnv('HEALTH_METRICS_REFRESH', '15000');
  vi.stubEnv('HEALTH_METRICS_REQUESTS', 'true');
  expect(readMetrics(undefined)).toEqual({ ...defaults, path: '/metrics', refresh: 15_000, requests: true });
  expect(readMetrics({ path: '/m', requests: false })).toEqual({ ...defaults, path: '/m', refresh: 15_000 });
  vi.stubEnv('HEALTH_METRICS', 'false');
  expect(readMetrics(undefined)).toBeUndefined();
});

it.each<[unknown, string]>([
  [{ path: 'metrics' }, 'Option metrics.path is "metrics"; it must be a path such as "/__metrics__"'],
  [{ path: '/__heartbeat__' }, 'Option metrics.path is "/__heartbeat__"'],
  [{ path: '/a b' }, 'Option metrics.path'],
  [{ refresh: 0 }, 'Option metrics.refresh is 0; it must be an integer from 1'],
  [{ refresh: '5' }, 'Option metrics.refresh is "5"'],
  [{ requests: 'yes' }, 'Option metrics.requests is "yes"; it must be true or false'],
  [{ registry: {} }, 'Option metrics.registry is a plain object; it must be a prom-client'],
  [{ registry: null }, 'Option metrics.registry is null'],
  [{ port: 1 }, 'Unknown option "port" of metrics. Known options: path, refresh, registry, requests.'],
  ['/metrics', 'Option metrics is "/metrics"; it must be true, false or an object'],
  [null, 'Option metrics is null'],
  [[], 'Option metrics is an array'],
])('%j is refused', (given, reason) => {
  expect(() => readMetrics(given)).toThrow(reason);
});

it.each([
  ['HEALTH_METRICS', 'maybe'],
  ['HEALTH_METRICS_PATH', 'metrics'],
])('the variable %s is refused by its name', (name, value) => {
  vi.stubEnv(name, value);
  expect(() => readMetrics(undefined)).toThrow(`${name} is "${value}"`);
});

it.each<[object, object | undefined]>([
  [{}, undefined],
  [{ HEALTH_METRICS: true }, defaults],
  [
    { HEALTH_METRICS: 'true', HEALTH_METRICS_REFRESH: '500' },
    { ...defaults, refresh: 500 },
  ],
  [{ HEALTH_METRICS_PATH: '/metrics' }, { ...defaults, path: '/metrics' }],
  [
    { HEALTH_METRICS: { path: '/a' }, HEALTH_METRICS_REQUESTS: true },
    { ...defaults, path: '/a', requests: true },
  ],
  [{ HEALTH_METRICS: false, HEALTH_METRICS_PATH: '/metrics' }, undefined],
])('settings %j', (settings, expected) => {
  const health = new SettingsHealth({ BASE_DIR: '/', HEALTH_LOGGER: false, ...settings });
  expect(health.options.metrics).toEqual(expected);
});

it.each<[object, string]>([
  [{ metrics: { path: '/__health__' }, page: true }, 'metrics is "/__health__"'],
  [{ metrics: { path: '/__health__.json' }, page: true }, 'metrics is "/__health__.json"'],
  [{ metrics: { path: '/ops/events' }, page: { path: '/ops' } }, 'metrics is "/ops/events"'],
  [{ metrics: { path: '/__heartbeat__/db' }, groups: { db: ['a'] } }, '/__heartbeat__/db'],
])('a path that something else answers is refused: %j', (options, reason) => {
  expect(() => makeHealth(options)).toThrow(expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }));
  expect(() => makeHealth(options)).toThrow(reason);
});

it('a misspelt variable is told in the log', () => {
  vi.stubEnv('HEALTH_METRICS_REFERSH', '5');
  const { records } = makeHealth();
  expect(records.map(({ msg }) => msg)).toEqual([
    'HEALTH_METRICS_REFERSH is set, but nothing reads it. Did you mean HEALTH_METRICS_REFRESH?',
  ]);
});

it('requests are refused where their end is not seen', () => {
  expect(() => createHandler({ metrics: { requests: true }, logger: false })).toThrow(
    'Option metrics.requests is true',
  );
  expect(createHandler({ metrics: true, logger: false }).health.options.metrics).toEqual(defaults);
});
