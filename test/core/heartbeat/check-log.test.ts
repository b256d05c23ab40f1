import { afterEach, expect, it, vi } from 'vitest';
import type { HealthOptions, LogRecord } from 'lifesign';
import { type CheckMessage, Critical, Error as ErrorMessage, Info, Warning } from 'lifesign/checks';
import { makeProbes } from '../../probes/make-probes.js';

afterEach(async () => {
  if (vi.isFakeTimers()) await vi.runAllTimersAsync();
  vi.useRealTimers();
});

/** A check on a dependency, on a clock that stands still, and what is logged of it. */
async function watched(options: HealthOptions = {}, checkOptions = {}) {
  const { health, records, ask, after } = await makeProbes(true, { summary: false, ...options });
  const state: { found: readonly CheckMessage[] | Error } = { found: [] };
  health.check(
    'storage',
    () => {
      if (state.found instanceof Error) throw state.found;
      return state.found;
    },
    { scope: 'shared', ...checkOptions },
  );
  const lines = () =>
    records
      .splice(0)
      .filter(({ logger }: LogRecord) => logger === 'health.checks')
      .map(({ level, msg, fields }) => [level, msg, fields['lasted']]);
  return { health, state, ask, after, lines };
}
const down = [new ErrorMessage('No storage', { id: 'acme.E1' })];

const askers = {
  'heartbeats of HTTP': '/__heartbeat__',
  probes: '/readyz',
  'a group': '/__heartbeat__/some',
};

it.each(Object.entries(askers))(
  'a failure is logged when it begins, each minute, and when it is over: seen by %s',
  async (_name, target) => {
    const { health, state, ask, after, lines } = await watched({ groups: { some: ['storage'] } });
    await ask(target);
    expect(lines()).toEqual([]);
    state.found = down;
    await after(2000);
    await ask(target);
    expect(lines()).toEqual([[40, 'acme.E1: No storage', undefined]]);
    for (let second = 2; second < 60; second += 2) {
      await after(2000);
      await ask(target);
    }
    expect(lines()).toEqual([]);
    await after(2000);
    await ask(target);
    expect(lines()).toEqual([[40, 'acme.E1: No storage', 60_000]]);
    state.found = [];
    await after(2000);
    await ask(target);
    expect(lines()).toEqual([[20, 'Passes again after 62 s', 62_000]]);
    await after(120_000);
    await ask(target);
    expect(lines()).toEqual([]);
    health.close();
  },
);

it('a schedule logs the same lines', async () => {
  const { health, state, after, lines } = await watched({ every: '10s' });
  await after(10_000);
  state.found = down;
  await after(180_000);
  const logged = lines();
  // Its runs are up to a tenth apart from their times.
  expect(logged.length).toBeGreaterThanOrEqual(2);
  expect(logged.length).toBeLessThanOrEqual(4);
  expect(new Set(logged.map(([, msg]) => msg))).toEqual(new Set(['acme.E1: No storage']));
  state.found = [];
  await after(20_000);
  expect(lines().map(([level, msg]) => [level, String(msg).replace(/\d+/, 'N')])).toEqual([
    [20, 'Passes again after N min'],
  ]);
  health.close();
});

it('a failure that is another one is logged at once: another id, level or text, but not another number', async () => {
  const { health, state, after, lines } = await watched();
  const findings = [
    [new ErrorMessage('3 of 4 are gone', { id: 'acme.E1' })],
    [new ErrorMessage('12 of 40 are gone', { id: 'acme.E1' })],
    [new ErrorMessage('all are gone', { id: 'acme.E1' })],
    [new Critical('all are gone', { id: 'acme.E1' })],
    [new Critical('all are gone', { id: 'acme.E2' })],
    [new Critical('all are gone', { id: 'acme.E2' }), new Warning('old', { id: 'acme.W1' })],
    // Known already.
    [new ErrorMessage('all are gone', { id: 'acme.E1' })],
  ];
  for (const found of findings) {
    state.found = found;
    await health.heartbeat();
    await after(1000);
  }
  expect(lines()).toEqual([
    [40, 'acme.E1: 3 of 4 are gone', undefined],
    [40, 'acme.E1: all are gone', 2000],
    [50, 'acme.E1: all are gone', 3000],
    [50, 'acme.E2: all are gone', 4000],
    [50, 'acme.E2: all are gone', 5000],
    [30, 'acme.W1: old', 5000],
  ]);
  health.close();
});

it('a text that is new each time does not fill the log', async () => {
  const { health, state, after, lines } = await watched();
  for (let run = 0; run < 300; run += 1) {
    state.found = new Error(
      `order ${'abcdefghij'[run % 10]}${'klmnopqrst'[Math.floor(run / 10) % 10]}${'uvw'[Math.floor(run / 100)]} is lost`,
    );
    await health.heartbeat();
    await after(1000);
  }
  // Ten kinds at once, and then one a minute.
  expect(lines().length).toBe(14);
  health.close();
});

it('a failure that maxLevel caps is logged like others, at its capped level', async () => {
  const { health, state, ask, after, lines } = await watched({}, { maxLevel: 'info' });
  await ask('/readyz');
  state.found = down;
  for (let second = 0; second < 10; second += 1) {
    await after(2000);
    expect((await ask('/readyz')).status).toBe(200);
  }
  expect(lines()).toEqual([[20, 'acme.E1: No storage', undefined]]);
  expect((await ask('/readyz?verbose')).body).toContain(
    '[+]storage excluded: capped at info: acme.E1: No storage\n',
  );
  state.found = [];
  await after(2000);
  expect((await ask('/readyz?verbose')).body).toContain('[+]storage ok\n');
  expect(lines()).toEqual([[20, 'Passes again after 19 s', 19_000]]);
  health.close();
});

it('messages that are only informative begin, last and change like others, and end without a word', async () => {
  const { health, state, ask, after, lines } = await watched();
  state.found = [new Info('81 % full', { id: 'acme.I1' })];
  for (let second = 0; second < 62; second += 2) {
    await health.heartbeat();
    await after(2000);
  }
  expect(lines()).toEqual([
    [20, 'acme.I1: 81 % full', undefined],
    [20, 'acme.I1: 81 % full', undefined],
  ]);
  expect((await ask('/readyz?verbose')).body).toContain('[+]storage ok\n');
  state.found = [];
  await health.heartbeat();
  expect(lines()).toEqual([]);
  // A failure that turns into one has ended.
  state.found = down;
  await health.heartbeat();
  await after(3000);
  state.found = [new Info('81 % full', { id: 'acme.I1' })];
  await health.heartbeat();
  expect(lines()).toEqual([
    [40, 'acme.E1: No storage', undefined],
    [20, 'Passes again after 3 s', 3000],
    [20, 'acme.I1: 81 % full', undefined],
  ]);
  health.close();
});

it('a failure that comes back is a new one', async () => {
  const { health, state, after, lines } = await watched();
  for (let turn = 0; turn < 3; turn += 1) {
    state.found = down;
    await health.heartbeat();
    await after(1000);
    state.found = [];
    await health.heartbeat();
    await after(1000);
  }
  expect(lines().map(([, msg]) => msg)).toEqual(
    Array.from({ length: 3 }, () => ['acme.E1: No storage', 'Passes again after 1 s']).flat(),
  );
  health.close();
});

it('failureLogInterval says how often, 0 with every run', async () => {
  for (const [failureLogInterval, times] of [
    ['10s', 3],
    [0, 30],
  ] as const) {
    const { health, state, after, lines } = await watched({ failureLogInterval });
    state.found = down;
    for (let second = 0; second < 30; second += 1) {
      await health.heartbeat();
      await after(1000);
    }
    expect(lines()).toHaveLength(times);
    health.close();
    await vi.runAllTimersAsync();
    vi.useRealTimers();
  }
});

it('the verbose probe shows what was found, without texts where they are hidden', async () => {
  for (const [publicMessages, shown] of [
    [true, 'acme.E1: No storage'],
    [false, 'acme.E1'],
  ] as const) {
    const { health, state, ask, after } = await watched({ publicMessages });
    await ask('/readyz');
    state.found = [new Warning('Slow', { id: 'acme.W1' }), ...down];
    await after(2000);
    expect((await ask('/readyz?verbose')).body).toContain(
      `[+]storage excluded: shared: by its scope (${shown})\n`,
    );
    health.close();
    await vi.runAllTimersAsync();
    vi.useRealTimers();
  }
});
