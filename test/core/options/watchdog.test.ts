import { afterEach, expect, it, vi } from 'vitest';
import { readFeature } from '../../../src/core/options/feature-options.js';
import { features } from '../../../src/core/options/features.js';
import { resolveWatchdog } from '../../../src/watchdog/options.js';
import { SettingsHealth } from '../../../src/profiles/settings/settings-health.js';

const readWatchdog = (given: unknown, label?: string, texts?: boolean) =>
  readFeature(features.watchdog, given, label, texts);

afterEach(() => vi.unstubAllEnvs());

const terminationLog = '/dev/termination-log';
const defaults = { port: 8001, busyAfter: 1000, stuckAfter: 60_000, terminationLog };

it('is off by default, and by false', () => {
  expect(readWatchdog(undefined)).toBeUndefined();
  vi.stubEnv('HEALTH_WATCHDOG', 'true');
  expect(readWatchdog(false)).toBeUndefined();
});

it('is on by true, by an object, by its variable and by its port', () => {
  expect(readWatchdog(true)).toEqual(defaults);
  expect(readWatchdog({})).toEqual(defaults);
  vi.stubEnv('HEALTH_WATCHDOG', '1');
  expect(readWatchdog(undefined)).toEqual(defaults);
  vi.unstubAllEnvs();
  vi.stubEnv('HEALTH_WATCHDOG_PORT', '9100');
  expect(readWatchdog(undefined)).toEqual({ ...defaults, port: 9100 });
  vi.stubEnv('HEALTH_WATCHDOG', 'false');
  expect(readWatchdog(undefined)).toBeUndefined();
});

it('what is given wins over the variables', () => {
  vi.stubEnv('HEALTH_WATCHDOG_PORT', '9100');
  vi.stubEnv('HEALTH_WATCHDOG_BUSY_AFTER', '2000');
  vi.stubEnv('HEALTH_WATCHDOG_STUCK_AFTER', '90000');
  expect(readWatchdog({ busyAfter: 500 })).toEqual({
    port: 9100,
    busyAfter: 500,
    stuckAfter: 90_000,
    terminationLog,
  });
});

it.each<[unknown, string]>([
  [{ port: '8001' }, 'Option watchdog.port is "8001"; it must be an integer from 0 to 65535'],
  [{ port: -1 }, 'Option watchdog.port is -1'],
  [{ busyAfter: 99 }, 'Option watchdog.busyAfter is 99'],
  [{ stuckAfter: 1000 }, 'Option watchdog.stuckAfter is 1000; it must be greater than busyAfter (1000)'],
  [{ path: '/' }, 'Unknown option "path" of watchdog'],
  [8001, 'Option watchdog is 8001; it must be true, false or an object such as { port: 8001 }'],
  [null, 'Option watchdog is null'],
  [[], 'Option watchdog is an array'],
])('%j is refused', (given, reason) => {
  expect(() => readWatchdog(given)).toThrow(reason);
});

it.each([
  ['HEALTH_WATCHDOG', 'maybe'],
  ['HEALTH_WATCHDOG_PORT', 'http'],
])('the variable %s is refused by its name', (name, value) => {
  vi.stubEnv(name, value);
  expect(() => readWatchdog(undefined)).toThrow(`${name} is "${value}"`);
});

it('stuckAfter follows a long busyAfter', () => {
  expect(resolveWatchdog({ busyAfter: 120_000 })).toMatchObject({ stuckAfter: 240_000 });
});

it.each<[object, object | undefined]>([
  [{}, undefined],
  [{ HEALTH_WATCHDOG: true }, defaults],
  [{ HEALTH_WATCHDOG: { port: 9100 } }, { ...defaults, port: 9100 }],
  [{ HEALTH_WATCHDOG_PORT: 9100 }, { ...defaults, port: 9100 }],
  [
    { HEALTH_WATCHDOG: true, HEALTH_WATCHDOG_BUSY_AFTER: 200 },
    { ...defaults, busyAfter: 200 },
  ],
  [{ HEALTH_WATCHDOG: false, HEALTH_WATCHDOG_PORT: 9100 }, undefined],
  [{ HEALTH_WATCHDOG_BUSY_AFTER: 200 }, undefined],
  [{ HEALTH_WATCHDOG: 'true' }, defaults],
  [{ HEALTH_WATCHDOG: 'false', HEALTH_WATCHDOG_PORT: '9100' }, undefined],
  [
    { HEALTH_WATCHDOG_PORT: '9100', HEALTH_WATCHDOG_BUSY_AFTER: '' },
    { ...defaults, port: 9100 },
  ],
])('settings %j', (settings, expected) => {
  expect(new SettingsHealth({ BASE_DIR: import.meta.dirname, ...settings }).options.watchdog).toEqual(
    expected,
  );
});

it.each([
  [8001, '8001'],
  [null, 'null'],
  [[], 'an array'],
])('%j is refused as the options of watchLoop', (given, shown) => {
  const rest = 'it must be an object such as { port: 8001 }. Fix it or omit it.';
  expect(() => resolveWatchdog(given, 'watchLoop')).toThrow(`Option watchLoop is ${shown}; ${rest}`);
  expect(() => resolveWatchdog(given)).toThrow(`Option watchdog is ${shown}; ${rest}`);
});
