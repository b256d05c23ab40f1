import fc from 'fast-check';
import { vi } from 'vitest';
import { Critical, Info, Warning } from 'lifesign/checks';
import { createHandler, type LogRecord } from 'lifesign';

/** What one run of a check does. */
interface Behaviour {
  readonly does: 'return' | 'throw' | 'resolve' | 'reject' | 'hang' | 'junk';
  readonly level: 'Info' | 'Warning' | 'Critical';
  /** Milliseconds of virtual time: some are longer than every timeout. */
  readonly after: number;
  readonly asksSignal: boolean;
}

/** One turn of a schedule: time passes, then requests come at once. */
interface Step {
  readonly wait: number;
  readonly path: string;
  readonly times: number;
  /** Whether another check is registered before. */
  readonly registers: boolean;
}

export interface Schedule {
  readonly options: {
    readonly groups: Record<string, string[]>;
    readonly coalesce: boolean;
    readonly cacheFor: number;
    readonly timeout: number;
    readonly silencedChecks: string[];
    readonly checkOptions: Record<
      string,
      { cacheFor?: number; timeout?: number; maxLevel?: 'info' | 'error' }
    >;
    readonly probes: boolean | { probeEvery: number };
  };
  readonly behaviours: readonly (readonly Behaviour[])[];
  readonly steps: readonly Step[];
}

const names: readonly string[] = ['a', 'b', 'c'];
const late = 'late';
const kinds = { Info, Warning, Critical };

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  does: fc.constantFrom('return', 'throw', 'resolve', 'resolve', 'resolve', 'reject', 'hang', 'junk'),
  level: fc.constantFrom('Info', 'Warning', 'Critical'),
  after: fc.constantFrom(0, 5, 60, 150, 700),
  asksSignal: fc.boolean(),
});

const checkOptions = fc.record(
  {
    cacheFor: fc.constantFrom(0, 50, 400),
    timeout: fc.constantFrom(40, 200),
    maxLevel: fc.constantFrom('info', 'error'),
  },
  { requiredKeys: [] },
);

const step: fc.Arbitrary<Step> = fc.record({
  wait: fc.constantFrom(0, 0, 1, 10, 50, 130, 450),
  path: fc.constantFrom(
    '/__heartbeat__',
    '/__heartbeat__',
    '/__heartbeat__/x',
    '/__heartbeat__/y',
    '/__heartbeat__/z',
    '/readyz',
    '/livez',
  ),
  times: fc.constantFrom(1, 2, 9, 12, 110),
  registers: fc.nat(9).map((chance) => chance === 0),
});

export const schedules: fc.Arbitrary<Schedule> = fc.record({
  options: fc.record({
    groups: fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.subarray([...names], { minLength: 1 })),
    coalesce: fc.boolean(),
    cacheFor: fc.constantFrom(0, 0, 0, 120),
    timeout: fc.constantFrom(100, 300),
    silencedChecks: fc.subarray(['health.E012', 'health.E013', 'acme.run']),
    checkOptions: fc.dictionary(fc.constantFrom(...names), checkOptions),
    probes: fc.constantFrom(false, true, { probeEvery: 1000 }),
  }),
  behaviours: fc.array(fc.array(behaviour, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 4 }),
  steps: fc.array(step, { minLength: 1, maxLength: 10 }),
});

/** A run of a check, in virtual time. */
interface Ran {
  readonly check: string;
  readonly started: number;
  /** When it settles by itself, or Infinity. */
  readonly settles: number;
}

/** A request, and its answer if one came. */
export interface Asked {
  readonly path: string;
  readonly at: number;
  /** The checks that were registered when it came. */
  readonly registered: readonly string[];
  answer?: { readonly status: number; readonly body: string; readonly at: number };
  failed?: unknown;
}

export interface Outcome {
  readonly asked: readonly Asked[];
  readonly runs: readonly Ran[];
  readonly records: readonly LogRecord[];
  /** The most runs of a check that were neither settled nor timed out at once. */
  readonly most: ReadonlyMap<string, number>;
}

/** Plays a schedule on a clock that the caller has replaced. */
export async function play({ options, behaviours, steps }: Schedule): Promise<Outcome> {
  const records: LogRecord[] = [];
  const runs: Ran[] = [];
  const asked: Asked[] = [];
  const most = new Map<string, number>();
  const registered: string[] = [];
  const handle = createHandler({
    ...options,
    // Each run is in the log.
    failureLogInterval: 0,
    logger: { log: (record) => void records.push(record) },
  });
  const register = (name: string, all: readonly Behaviour[]) => {
    registered.push(name);
    const timeout = options.checkOptions[name]?.timeout ?? options.timeout;
    let count = 0;
    handle.health.check(name, (context) => {
      const does = all[count % all.length] ?? hangs;
      count += 1;
      const started = performance.now();
      const settles = does.does === 'hang' ? Infinity : isPrompt(does) ? started : started + does.after;
      runs.push({ check: name, started, settles });
      const active = runs.filter(
        (run) => run.check === name && run.settles > started && run.started + timeout > started,
      ).length;
      most.set(name, Math.max(most.get(name) ?? 0, active));
      if (does.asksSignal) void context.signal.aborted;
      return perform(does, `run ${runs.length - 1}`);
    });
  };
  names.forEach((name, index) => register(name, behaviours[index] ?? []));
  for (const { wait, path, times, registers } of steps) {
    if (wait > 0) await vi.advanceTimersByTimeAsync(wait);
    if (registers && !registered.includes(late)) register(late, behaviours[names.length] ?? []);
    for (let time = 0; time < times; time += 1) {
      const one: Asked = { path, at: performance.now(), registered: [...registered] };
      const answer = handle('GET', path, {});
      if (answer === undefined) continue;
      asked.push(one);
      Promise.resolve(answer).then(
        ({ status, body }) => (one.answer = { status, body, at: performance.now() }),
        (thrown: unknown) => (one.failed = thrown),
      );
    }
  }
  // Longer than every timeout, one after the other.
  await vi.advanceTimersByTimeAsync(2000);
  handle.health.close();
  return { asked, runs, records, most };
}

const hangs: Behaviour = { does: 'hang', level: 'Info', after: 0, asksSignal: false };

const isPrompt = ({ does }: Behaviour) => does === 'return' || does === 'throw' || does === 'junk';

/** What a run returns; its number is in the message, so that a report tells which run it is of. */
function perform({ does, level, after }: Behaviour, text: string): never {
  const message = new kinds[level](text, { id: 'acme.run' });
  const outcomes: Readonly<Record<Behaviour['does'], () => unknown>> = {
    throw: () => {
      throw new Error(text);
    },
    return: () => [message],
    junk: () => ({ text }),
    hang: () => new Promise(() => {}),
    resolve: () => new Promise((resolve) => setTimeout(resolve, after, [message])),
    reject: () => new Promise((_resolve, reject) => setTimeout(reject, after, new Error(text))),
  };
  return outcomes[does]() as never;
}
