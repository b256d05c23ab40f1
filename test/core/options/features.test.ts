import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeHealth } from '../make-health.js';

afterEach(() => vi.unstubAllEnvs());

/** What a Health has made of the options and variables; wrong types on purpose, as in JavaScript. */
function resolved(options: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  const { health } = makeHealth(options);
  health.close();
  return { ...health.options };
}

const terminationLog = '/dev/termination-log';
const watchdog = { port: 8001, busyAfter: 1000, stuckAfter: 60_000, terminationLog };
const metrics = { path: '/__metrics__', refresh: undefined, registry: undefined };
const probes = {
  live: ['/livez'],
  ready: ['/readyz'],
  started: ['/startupz'],
  startWhen: 'listening',
  failureThreshold: 1,
  successThreshold: 1,
  restartAfter: undefined,
  secondOpinionEvery: 10_000,
  probeEvery: 1000,
  peers: [],
};

/** Features whose options are one object: their defaults, a variable for each option, and what is refused. */
const features: readonly {
  readonly name: string;
  readonly defaults: object;
  /** Of these the first turns the feature on by itself. */
  readonly variables: Readonly<Record<string, readonly [text: string, option: string, value: unknown]>>;
  readonly refused: readonly (readonly [given: unknown, error: string])[];
}[] = [
  {
    name: 'metrics',
    defaults: metrics,
    variables: { PATH: ['/metrics', 'path', '/metrics'], REFRESH: ['15000ms', 'refresh', 15_000] },
    refused: [
      [{ path: 'metrics' }, 'Option metrics.path is "metrics"; it must be a path such as "/__metrics__"'],
      [{ path: '/__heartbeat__' }, 'Option metrics.path is "/__heartbeat__"'],
      [{ path: '/a b' }, 'Option metrics.path'],
      [
        { refresh: 0 },
        'Option metrics.refresh is 0; it must be a text such as "30s", or in code a number from 1',
      ],
      [{ refresh: '5' }, 'Option metrics.refresh is "5"'],
      [{ registry: {} }, 'Option metrics.registry is a plain object; it must be a prom-client'],
      [{ registry: null }, 'Option metrics.registry is null'],
      [{ port: 1 }, 'Unknown option "port" of metrics. Known options: registry, path, refresh.'],
      ['/metrics', 'Option metrics is "/metrics"; it must be true, false or an object'],
    ],
  },
  {
    name: 'probes',
    defaults: probes,
    variables: {
      READY: ['/readyz, /health/ready', 'ready', ['/readyz', '/health/ready']],
      LIVE: ['/l', 'live', ['/l']],
      STARTED: ['/s', 'started', ['/s']],
      START_WHEN: ['checks', 'startWhen', 'checks'],
      FAILURE_THRESHOLD: ['2', 'failureThreshold', 2],
      SUCCESS_THRESHOLD: ['3', 'successThreshold', 3],
      RESTART_AFTER: ['60000ms', 'restartAfter', 60_000],
      SECOND_OPINION_EVERY: ['5000ms', 'secondOpinionEvery', 5000],
      PROBE_EVERY: ['500ms', 'probeEvery', 500],
      PEERS: ['shop-headless:8000, [::1]:8001', 'peers', ['shop-headless:8000', '[::1]:8001']],
    },
    refused: [
      [{ live: 'livez' }, 'Option probes.live is "livez"; it must be a path such as "/livez"'],
      [{ live: '/livez/' }, 'Option probes.live is "/livez/"'],
      [{ ready: '/__heartbeat__' }, 'Option probes.ready is "/__heartbeat__"'],
      [{ ready: ['/r', 5] }, 'Option probes.ready is an array'],
      [{ ready: '/livez' }, '"/livez"; it must be different from the path of probes.live'],
      [{ started: ['/s', '/s'] }, 'Option probes.started is "/s"; it must be listed only once'],
      [{ startWhen: 'later' }, "it must be 'listening', 'called' or 'checks'"],
      [{ failureThreshold: 0 }, 'Option probes.failureThreshold is 0'],
      [{ restartAfter: -1 }, 'Option probes.restartAfter is -1'],
      [{ restartAfter: true }, 'Option probes.restartAfter is true'],
      [{ probeEvery: 0 }, 'Option probes.probeEvery is 0'],
      [{ peers: 'shop' }, '"shop"; it must be a name and a port such as "shop-headless:8000"'],
      [{ peers: ['shop:99999'] }, 'Option probes.peers'],
      [{ peers: 'http://shop:8000' }, 'Option probes.peers'],
      [{ path: '/' }, 'Unknown option "path" of probes'],
      ['/livez', 'Option probes is "/livez"; it must be true, false or an object such as { live: "/livez" }'],
    ],
  },
  {
    name: 'watchdog',
    defaults: watchdog,
    variables: {
      PORT: ['9100', 'port', 9100],
      BUSY_AFTER: ['2000ms', 'busyAfter', 2000],
      STUCK_AFTER: ['90000ms', 'stuckAfter', 90_000],
      TERMINATION_LOG: ['False', 'terminationLog', false],
    },
    refused: [
      [{ port: '8001' }, 'Option watchdog.port is "8001"; it must be an integer from 0 to 65535'],
      [{ port: -1 }, 'Option watchdog.port is -1'],
      [{ busyAfter: 99 }, 'Option watchdog.busyAfter is 99'],
      [{ stuckAfter: 1000 }, 'stuckAfter is 1000; it must be greater than busyAfter (1000)'],
      [{ terminationLog: '' }, 'Option watchdog.terminationLog is ""; it must be a path or false. Fix it'],
      [{ terminationLog: true }, 'Option watchdog.terminationLog is true'],
      [{ path: '/' }, 'Unknown option "path" of watchdog'],
      [8001, 'Option watchdog is 8001; it must be true, false or an object such as { port: 8001 }'],
    ],
  },
];

describe.each(features)('$name', ({ name, defaults, variables, refused }) => {
  const variable = `HEALTH_${name.toUpperCase()}`;

  it('are off by default and by false, on by true, by an object, by their variable and by one of theirs', () => {
    const made = (given?: unknown) => resolved({ [name]: given })[name];
    expect(made()).toBeUndefined();
    expect([made(true), made({})]).toEqual([defaults, defaults]);
    vi.stubEnv(variable, '1');
    expect([made(), made(false)]).toEqual([defaults, undefined]);
    vi.stubEnv(variable, undefined);
    const [first] = Object.entries(variables);
    if (first === undefined) throw new Error('no variable');
    const [part, [text, option, value]] = first;
    vi.stubEnv(`${variable}_${part}`, text);
    expect(made()).toEqual({ ...defaults, [option]: value });
    vi.stubEnv(variable, 'false');
    expect(made()).toBeUndefined();
    for (const [wrong, given] of [
      [variable, 'maybe'],
      [`${variable}_${part}`, 'no path'],
    ] as const) {
      vi.stubEnv(variable, 'true');
      vi.stubEnv(wrong, given);
      expect(() => made()).toThrow(`${wrong} is "${given}"`);
    }
  });

  it('have a variable for each option; what is given wins over it', () => {
    const all = Object.entries(variables);
    for (const [part, [text]] of all) vi.stubEnv(`${variable}_${part}`, text);
    const read = Object.fromEntries(all.map(([, [, option, value]]) => [option, value]));
    expect(resolved({ [name]: {} })[name]).toEqual({ ...defaults, ...read });
    for (const option of Object.keys(read)) {
      const own: unknown = Reflect.get(defaults, option);
      if (own === undefined) continue;
      expect(resolved({ [name]: { [option]: own } })[name]).toEqual({ ...defaults, ...read, [option]: own });
    }
  });

  it.each([...refused, [null, `Option ${name} is null`], [[], `Option ${name} is an array`]] as const)(
    '%j is refused',
    (given, error) => {
      expect(() => resolved({ [name]: given })).toThrow(error);
      expect(() => resolved({ [name]: given })).toThrow(expect.objectContaining({ name: 'LifesignError' }));
    },
  );
});

it('stuckAfter follows a long busyAfter', () => {
  expect(resolved({ watchdog: { busyAfter: 120_000 } })['watchdog']).toMatchObject({ stuckAfter: 240_000 });
});

it.each<[object, string]>([
  [{ metrics: { path: '/__health__' }, page: true }, 'metrics is "/__health__"'],
  [{ metrics: { path: '/__health__.json' }, page: true }, 'metrics is "/__health__.json"'],
  [{ metrics: { path: '/__heartbeat__/db' }, groups: { db: ['a'] } }, '/__heartbeat__/db'],
  [{ page: true, probes: { live: '/__health__' } }, '/__health__'],
  [{ page: true, probes: { ready: '/__health__.json' } }, '/__health__.json'],
  [{ page: { path: '/livez' }, probes: true }, '/livez'],
  [
    { groups: { payments: ['x'] }, probes: { started: '/__heartbeat__/payments' } },
    '/__heartbeat__/payments',
  ],
  [{ prefix: '/shop', probes: { live: ['/shop/livez', '/livez'] } }, '/livez'],
])('a path that something else answers is refused: %j', (options, path) => {
  expect(() => resolved({ ...options })).toThrow(
    expect.objectContaining({ code: 'LIFESIGN_OPTION_INVALID' }),
  );
  expect(() => resolved({ ...options })).toThrow('it must be a path that no other feature uses');
  expect(() => resolved({ ...options })).toThrow(path);
});
