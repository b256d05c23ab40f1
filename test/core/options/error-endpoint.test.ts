import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { readFeature } from '../../../src/core/options/feature-options.js';
import { features } from '../../../src/core/options/features.js';
import { SettingsHealth } from '../../../src/profiles/settings/settings-health.js';
import { makeHealth } from '../make-health.js';

const readErrorEndpoint = (given: unknown, label?: string, texts?: boolean) =>
  readFeature(features.errorEndpoint, given, label, texts);

afterEach(() => vi.unstubAllEnvs());

const token = 'f3b1c2d4e5a697880123456789abcdef';

it('is off by default, and by false', () => {
  expect(readErrorEndpoint(undefined)).toBeUndefined();
  vi.stubEnv('HEALTH_ERROR_ENDPOINT_TOKEN', token);
  expect(readErrorEndpoint(false)).toBeUndefined();
  vi.stubEnv('HEALTH_ERROR_ENDPOINT', 'false');
  expect(readErrorEndpoint(undefined)).toBeUndefined();
});

it('is on by its token, by an object with it, and by true where the variable has it', () => {
  expect(readErrorEndpoint({ token })?.token()).toBe(token);
  vi.stubEnv('HEALTH_ERROR_ENDPOINT_TOKEN', token);
  expect(readErrorEndpoint(undefined)?.token()).toBe(token);
  expect(readErrorEndpoint(true)?.token()).toBe(token);
  expect(readErrorEndpoint({ token: token.toUpperCase() })?.token()).toBe(token.toUpperCase());
});

it.each<[unknown, string]>([
  [
    true,
    'Option errorEndpoint.token is undefined; it must be a string of 32 to 1024 visible ASCII characters',
  ],
  [{}, 'Set it, or set HEALTH_ERROR_ENDPOINT_TOKEN'],
  [{ token: '' }, 'Option errorEndpoint.token is a string of 0 characters'],
  [{ token: 'x'.repeat(31) }, 'Option errorEndpoint.token is a string of 31 characters'],
  [{ token: 'x'.repeat(1025) }, 'Option errorEndpoint.token is a string of 1025 characters'],
  [{ token: `${token} ${token}` }, 'Option errorEndpoint.token is a string of 65 characters'],
  [{ token: 'é'.repeat(40) }, 'Option errorEndpoint.token is a string of 40 characters'],
  [{ token: 1 }, 'Option errorEndpoint.token is 1'],
  [token, 'Option errorEndpoint is a string of 32 characters; it must be true, false or an object'],
  [{ token, onError: 'log' }, 'Option errorEndpoint.onError is "log"; it must be a function'],
  [{ token, path: '/x' }, 'Unknown option "path" of errorEndpoint'],
])('%j is refused', (given, reason) => {
  expect(() => readErrorEndpoint(given)).toThrow(reason);
  expect(() => readErrorEndpoint(given)).toThrow(expect.objectContaining({ name: 'LifesignError' }));
});

it('no token that is refused is shown, wherever it was given', () => {
  const refused = fc
    .stringMatching(/^[!-~]{8,31}$/)
    .filter((text) => !'a text of characters, such as'.includes(text));
  const attempts = (text: string): readonly (() => unknown)[] => [
    () => readErrorEndpoint({ token: text }),
    () => readErrorEndpoint(text),
    () => {
      vi.stubEnv('HEALTH_ERROR_ENDPOINT_TOKEN', text);
      return readErrorEndpoint(undefined);
    },
    () => {
      vi.stubEnv('HEALTH_ERROR_ENDPOINT', text);
      return readErrorEndpoint(undefined);
    },
    () => new SettingsHealth({ BASE_DIR: '/', HEALTH_ERROR_ENDPOINT_TOKEN: text }),
  ];
  fc.assert(
    fc.property(refused, (text) => {
      for (const attempt of attempts(text)) {
        let message = '';
        try {
          attempt();
        } catch (thrown) {
          message = String(thrown);
        }
        vi.unstubAllEnvs();
        expect(message).toContain(`a string of ${text.length} characters`);
        expect(message).not.toContain(text);
      }
    }),
  );
});

it('whoever prints a Health or its options does not print the token', () => {
  const { health } = makeHealth({ errorEndpoint: { token } });
  expect(health.options.errorEndpoint?.token()).toBe(token);
  expect(inspect(health, { depth: null, showHidden: true })).not.toContain(token);
  expect(JSON.stringify(health.options)).not.toContain(token);
});

it.each<[object, boolean]>([
  [{}, false],
  [{ HEALTH_ERROR_ENDPOINT: { token } }, true],
  [{ HEALTH_ERROR_ENDPOINT_TOKEN: token }, true],
  [{ HEALTH_ERROR_ENDPOINT: true, HEALTH_ERROR_ENDPOINT_TOKEN: token }, true],
  [{ HEALTH_ERROR_ENDPOINT: false, HEALTH_ERROR_ENDPOINT_TOKEN: token }, false],
  [{ HEALTH_ERROR_ENDPOINT_TOKEN: '' }, false],
])('settings of profile A: %j', (settings, on) => {
  const { options } = new SettingsHealth({ BASE_DIR: '/', HEALTH_LOGGER: false, ...settings });
  expect(options.errorEndpoint?.token()).toBe(on ? token : undefined);
});
