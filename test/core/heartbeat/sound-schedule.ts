import { expect } from 'vitest';
import { type Asked, type Outcome, type Schedule } from './schedules.js';

const levels: Readonly<Record<string, number>> = {
  ok: 0,
  debug: 10,
  info: 20,
  warning: 30,
  error: 40,
  critical: 50,
};

/** What holds for every schedule, whatever the checks do. */
export function expectSound(schedule: Schedule, outcome: Outcome): void {
  const { options } = schedule;
  expect(outcome.asked.filter(({ answer }) => answer === undefined)).toEqual([]);
  for (const asked of outcome.asked) {
    if (asked.path.startsWith('/__heartbeat__')) expectReport(asked, schedule, outcome);
    else expect(JSON.parse(asked.answer?.body ?? '')).toHaveProperty('status');
  }
  for (const [check, most] of outcome.most) {
    const cached = (options.checkOptions[check]?.cacheFor ?? options.cacheFor) > 0;
    expect(most, `runs of ${check} at once`).toBeLessThanOrEqual(options.coalesce || cached ? 1 : 10);
  }
  expectLoggedOnce(outcome, options.silencedChecks);
}

function expectReport(asked: Asked, schedule: Schedule, { runs }: Outcome): void {
  const { options } = schedule;
  const { status: code, body, at } = asked.answer ?? { status: 0, body: '', at: Infinity };
  const report: { status: string; checks: Record<string, string>; details: Record<string, Detail> } =
    JSON.parse(body);
  const group = asked.path.slice('/__heartbeat__/'.length);
  const wanted = asked.registered.filter((name) => group === '' || options.groups[group]?.includes(name));
  expect(Object.keys(report.checks)).toEqual(wanted);

  const worst = Math.max(0, ...Object.values(report.checks).map((status) => levels[status] ?? NaN));
  expect(levels[report.status]).toBe(worst);
  expect(code).toBe(worst >= 30 ? 500 : 200);
  const failing = wanted.filter((name) => report.checks[name] !== 'ok');
  expect(Object.keys(report.details)).toEqual(failing);

  const longest = Math.max(...wanted.map((name) => timeoutOf(name, options)));
  expect(at - asked.at).toBeLessThanOrEqual(longest + 150);
  for (const name of failing) {
    const detail = report.details[name];
    expect(detail?.status).toBe(report.checks[name]);
    expect(detail?.level).toBe(levels[detail?.status ?? '']);
    const number = /run (\d+)/.exec(Object.values(detail?.messages ?? {}).join())?.[1];
    if (number === undefined) continue;
    const run = runs[Number(number)];
    expect(run?.check).toBe(name);
    if (run === undefined) continue;
    // A heartbeat that is shared, always or in a flood, may have begun earlier.
    const shared = options.coalesce || schedule.steps.some(({ times }) => times > 100) ? longest + 150 : 0;
    const cacheFor = options.checkOptions[name]?.cacheFor ?? options.cacheFor;
    if (run.settles < asked.at) expect(run.started).toBeGreaterThanOrEqual(asked.at - cacheFor - shared);
  }
}

interface Detail {
  readonly level: number;
  readonly status: string;
  readonly messages: Readonly<Record<string, string>>;
}

function timeoutOf(name: string, { checkOptions, timeout }: Schedule['options']): number {
  return checkOptions[name]?.timeout ?? timeout;
}

/** A run that a report tells of is in the log, once: whoever asked for it, and however many waited. */
function expectLoggedOnce({ asked, records }: Outcome, silenced: readonly string[]): void {
  const logged = new Map<string, number>();
  for (const { logger, msg } of records) {
    const run = logger === 'health.checks' ? /run \d+/.exec(msg ?? '')?.[0] : undefined;
    if (run !== undefined) logged.set(run, (logged.get(run) ?? 0) + 1);
  }
  expect([...logged].filter(([, times]) => times > 1)).toEqual([]);
  if (silenced.length > 0) return;
  const told = asked
    .filter(({ path }) => path.startsWith('/__heartbeat__'))
    .flatMap(({ answer }) => answer?.body.match(/run \d+/g) ?? []);
  expect(told.filter((run) => !logged.has(run))).toEqual([]);
}
