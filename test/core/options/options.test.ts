import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { LifesignError, listenOptions } from 'lifesign';
import { makeHealth } from '../make-health.js';

afterEach(() => vi.unstubAllEnvs());

/** Options as a caller in JavaScript might give them. */
const given = (options: object) => {
  const { health } = makeHealth(options);
  health.close();
  return health.options;
};

describe('defaults', () => {
  test('are those of the contract', () => {
    const { logger: _, ...options } = given({});
    expect(options).toMatchObject({
      loggerName: 'lifesign',
      versionPath: process.cwd(),
      failLevel: 'warning',
      failedStatusCode: 500,
      details: true,
      silencedChecks: [],
      timeout: 5000,
      page: undefined,
      summary: { healthEndpoints: true, querystring: false, ignore: [], fields: undefined },
      requestIdHeaderName: 'x-request-id',
    });
  });
});

describe('from the environment', () => {
  test.each([
    ['HEALTH_VERSION_PATH', '/srv', 'versionPath', '/srv'],
    ['HEALTH_FAIL_LEVEL', 'critical', 'failLevel', 'critical'],
    ['HEALTH_FAILED_STATUS_CODE', '503', 'failedStatusCode', 503],
    ['HEALTH_DETAILS', 'false', 'details', false],
    ['HEALTH_DETAILS', '1', 'details', true],
    ['HEALTH_SILENCED_CHECKS', 'a.W1, b.W2,', 'silencedChecks', ['a.W1', 'b.W2']],
    ['HEALTH_TIMEOUT', '250ms', 'timeout', 250],
    ['HEALTH_SUMMARY', '0', 'summary', undefined],
    ['HEALTH_REQUEST_ID_HEADER_NAME', 'X-Trace', 'requestIdHeaderName', 'x-trace'],
    ['HEALTH_REQUEST_CONTEXT', 'false', 'requestContext', false],
    ['HEALTH_LOGGER_NAME', 'acme', 'loggerName', 'acme'],
    ['HEALTH_COALESCE', 'true', 'coalesce', true],
    ['HEALTH_COALESCE', 'False', 'coalesce', false],
    ['HEALTH_FAIL_LEVEL', 'ERROR', 'failLevel', 'error'],
    ['HEALTH_PAGE', 'TRUE', 'page.path', '/__health__'],
    ['HEALTH_SUMMARY_HEALTH_ENDPOINTS', 'false', 'summary.healthEndpoints', false],
    ['HEALTH_SUMMARY_HEALTH_ENDPOINTS', '0.25', 'summary.healthEndpoints', 0.25],
    ['HEALTH_SUMMARY_HEALTH_ENDPOINTS', '1', 'summary.healthEndpoints', true],
    ['HEALTH_SUMMARY_QUERYSTRING', 'true', 'summary.querystring', true],
    ['HEALTH_SUMMARY_IGNORE', '/metrics, /static/*', 'summary.ignore', ['/metrics', '/static/*']],
  ])('%s=%s', (variable, value, option, expected) => {
    vi.stubEnv(variable, value);
    expect(given({})).toHaveProperty(option, expected);
  });

  test('a variable of a feature does not turn it on', () => {
    vi.stubEnv('HEALTH_PAGE_PATH', '/ops');
    expect(given({}).page).toBeUndefined();
  });

  test('an empty variable counts as unset', () => {
    vi.stubEnv('HEALTH_TIMEOUT', '');
    expect(given({}).timeout).toBe(5000);
  });

  test('what the caller gives wins', () => {
    vi.stubEnv('HEALTH_TIMEOUT', 'nonsense');
    expect(given({ timeout: 7 }).timeout).toBe(7);
  });

  test.each([
    [
      'HEALTH_TIMEOUT',
      'soon',
      'HEALTH_TIMEOUT is "soon"; it must be a text such as "30s", or in code a number from 1 to 2147483647 (milliseconds). Fix it, or omit it to use the default (5000).',
    ],
    [
      'HEALTH_FAILED_STATUS_CODE',
      '200',
      'HEALTH_FAILED_STATUS_CODE is "200"; it must be an integer from 400 to 599. Fix it, or omit it to use the default (500).',
    ],
    [
      'HEALTH_FAIL_LEVEL',
      'WARN',
      'HEALTH_FAIL_LEVEL is "WARN"; it must be one of debug, info, warning, error, critical. Fix it, or omit it to use the default ("warning").',
    ],
    [
      'HEALTH_DETAILS',
      'yes',
      'HEALTH_DETAILS is "yes"; it must be true, false or a function that takes the request. Fix it, or omit it to use the default (true).',
    ],
  ])('%s=%s is refused by name, value and fix', (variable, value, message) => {
    vi.stubEnv(variable, value);
    expect(() => given({})).toThrow(message);
    expect(() => given({})).toThrow(expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }));
  });
});

describe('given by the caller', () => {
  test.each([
    [{ failLevel: 'ok' }, 'Option failLevel is "ok"'],
    [{ failLevel: 'toString' }, 'Option failLevel is "toString"'],
    [{ failedStatusCode: 200 }, 'Option failedStatusCode is 200; it must be an integer from 400 to 599'],
    [{ failedStatusCode: 600 }, 'Option failedStatusCode is 600'],
    [{ failedStatusCode: 503.7 }, 'Option failedStatusCode is 503.7'],
    [{ failedStatusCode: true }, 'Option failedStatusCode is true'],
    [{ failedStatusCode: '503' }, 'Option failedStatusCode is "503"'],
    [{ failedStatusCode: null }, 'Option failedStatusCode is null'],
    [{ details: 'no' }, 'Option details is "no"'],
    [{ silencedChecks: 'a.W1' }, 'Option silencedChecks is "a.W1"; it must be a list of message ids'],
    [{ silencedChecks: [7] }, 'Option silencedChecks is an array'],
    [{ timeout: 0 }, 'Option timeout is 0'],
    [{ timeout: Infinity }, 'Option timeout is Infinity'],
    [{ requestIdHeaderName: 'X Request' }, 'it must be an HTTP header name'],
    [{ versionPath: '' }, 'Option versionPath is ""; it must be a path or a file: URL'],
    [{ versionPath: new URL('http://acme.example/') }, 'it must be a path or a file: URL'],
    [{ uid: 'ada' }, 'Option uid is "ada"; it must be a function that takes the request. Fix it or omit it.'],
    [{ summary: { healthEndpoints: 1.5 } }, 'it must be true, false or a number from 0 to 1'],
    [{ summary: { healthEndpoints: NaN } }, 'Option summary.healthEndpoints is NaN'],
    [{ summary: { ignore: ['/a*b'] } }, 'Option summary.ignore'],
    [{ page: 5 }, 'Option page is 5'],
    [{ summary: 5 }, 'Option summary is 5'],
    [{ groups: [] }, 'Option groups is an array; it must be an object that maps group names'],
    [{ groups: { payments: 'stripe' } }, 'Group payments is "stripe"; it must be a non-empty list'],
    [
      { groups: { payments: [''] } },
      'Group payments is an array; it must be a non-empty list of check names',
    ],
    [{ prefix: '/shop/' }, 'Option prefix is "/shop/"; it must be a path such as "/shop"'],
  ])('%j is refused', (options, message) => {
    expect(() => given(options)).toThrow(message);
  });

  test('an option that does not exist is refused with those that do', () => {
    expect(() => given({ failedStatus: 503 })).toThrow(
      expect.objectContaining({ code: 'LIFESIGN_OPTION_UNKNOWN' }),
    );
    expect(() => given({ failedStatus: 503 })).toThrow(/Unknown option "failedStatus".*failedStatusCode/);
  });

  test.each(['/srv/my acme', 'file:///srv/my%20acme', new URL('file:///srv/my%20acme')])(
    'versionPath %s is a directory',
    (versionPath) => expect(given({ versionPath }).versionPath).toBe('/srv/my acme'),
  );

  test('undefined is as good as absent', () => {
    expect(given({ timeout: undefined }).timeout).toBe(5000);
  });
});

test('any value of any option is taken as it is or refused with a coded error', () => {
  const names = Object.keys(given({})).filter((name) => name !== 'versionFallbacks');
  const filled = new Set(['requestIdHeaderName', 'logger']);
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.anything(), (name, value) => {
      try {
        const options = given({ [name]: value });
        if (
          value !== undefined &&
          typeof value !== 'object' &&
          typeof value !== 'boolean' &&
          !filled.has(name)
        ) {
          expect(Reflect.get(options, name)).toBe(value);
        }
      } catch (thrown) {
        if (!(thrown instanceof LifesignError)) throw thrown;
        expect(thrown.code).toMatch(/^LIFESIGN_OPTION_/);
      }
    }),
    { numRuns: 500 },
  );
});

test('any text in any variable is read or refused with a coded error that names the variable', () => {
  const names = Object.keys(given({})).filter((name) => !/^(?:logger|uid|versionFallbacks)$/.test(name));
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.string(), (name, value) => {
      const variable = `HEALTH_${name
        .replaceAll(/[A-Z]/g, '_$&')
        .toUpperCase()
        .replace(/^HEALTH_/, '')}`;
      vi.stubEnv(variable, value.replaceAll('\0', ''));
      try {
        given({});
      } catch (thrown) {
        if (!(thrown instanceof LifesignError)) throw thrown;
        expect(thrown.message).toContain(variable);
      } finally {
        vi.unstubAllEnvs();
      }
    }),
    { numRuns: 500 },
  );
});

describe('listenOptions', () => {
  test('listens on the host that is given, on HOST, or on every IPv4 interface', () => {
    expect(listenOptions().host).toBe('0.0.0.0');
    process.env['HOST'] = '127.0.0.1';
    try {
      expect(listenOptions().host).toBe('127.0.0.1');
      expect(listenOptions({ host: undefined }).host).toBe('127.0.0.1');
      expect(listenOptions({ host: '::' }).host).toBe('::');
      process.env['HOST'] = '';
      expect(listenOptions().host).toBe('0.0.0.0');
    } finally {
      delete process.env['HOST'];
    }
    expect(() => listenOptions({ host: '' })).toThrow('Option host of listenOptions is ""');
  });

  test.each([
    [undefined, 8000],
    ['', 8000],
    ['0', 0],
    ['3000', 3000],
    ['65535', 65535],
  ])('PORT=%s listens on every interface, port %d', (value, port) => {
    vi.stubEnv('PORT', value);
    expect(listenOptions()).toEqual({ host: '0.0.0.0', port });
  });

  test.each(['65536', '-1', '80.5', 'http', ' 80', '0x50', '1e3'])('PORT=%s is refused', (value) => {
    vi.stubEnv('PORT', value);
    expect(() => listenOptions()).toThrow(
      `PORT is ${JSON.stringify(value)}; it must be an integer from 0 to 65535. Fix it, or unset it to use the default (8000).`,
    );
  });
});
