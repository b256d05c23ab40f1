import { optionInvalid } from './errors.js';
import type { Declares, Values } from './declaration.js';
import type { Duration } from './duration.js';
import type { Filled } from './filled.js';
import { duration, idList, type Rule, timeout } from './rules.js';
import { pagePath, runs } from './uncommon-rules.js';

/** The path on which instances of a service ask each other. */
export const peerPath = '/__peer__';

/** When an application counts as started. */
type StartWhen = 'listening' | 'called' | 'checks';

/** Options of the probes. Each is also read from `HEALTH_PROBES_` + its name in capitals. */
export interface ProbesOptions {
  /** The path, or a list of paths, of the liveness probe: would a restart help? Default `/livez`. */
  readonly live?: string | readonly string[] | undefined;
  /** The path or paths of the readiness probe: may this instance get traffic? Default `/readyz`. */
  readonly ready?: string | readonly string[] | undefined;
  /** The path or paths of the startup probe: has the application started? Default `/startupz`. */
  readonly started?: string | readonly string[] | undefined;
  /**
   * When the application counts as started: `'listening'` when the server listens, `'called'` when you call `health.started()`,
   * `'checks'` when every check has passed. `health.started()` works with all of them. Default `'listening'`.
   */
  readonly startWhen?: StartWhen | undefined;
  /** Consecutive failed runs after which a check whose failure affects only this instance fails `/readyz`. Default 1. */
  readonly failureThreshold?: number | undefined;
  /** Consecutive passed runs after which it passes again. Default 1. */
  readonly successThreshold?: number | undefined;
  /**
   * After how long a failure of only this instance fails `/livez`; up to half is added at random; 0 for never. Default: 60000
   * for the built-in `db` and `redis` checks if a second opinion proves it, 0 for all others.
   */
  readonly restartAfter?: Duration | undefined;
  /** Minimum time between two second opinions about one dependency, on average. Default 10000. */
  readonly secondOpinionEvery?: Duration | undefined;
  /** Minimum time between two runs of the checks for the probes; up to a quarter is added at random. Default 1000. */
  readonly probeEvery?: Duration | undefined;
  /**
   * Other instances of this service: a name and a port such as `'shop-headless:8000'`, which stands for all its addresses, or a list of them. When
   * a dependency fails here, up to three of them are asked whether they reach it. Default: none.
   */
  readonly peers?: string | readonly string[] | undefined;
}

/** The same with every default filled in. */
export interface ResolvedProbes extends Filled<Omit<ProbesOptions, Listed | 'restartAfter'>> {
  readonly live: readonly string[];
  readonly ready: readonly string[];
  readonly started: readonly string[];
  readonly peers: readonly string[];
  /** Undefined: the default of each check. */
  readonly restartAfter: number | undefined;
}

/** Options that may be one text or a list. */
type Listed = 'live' | 'ready' | 'started' | 'peers';

type Kind = 'live' | 'ready' | 'started';

const startWhens: ReadonlySet<unknown> = new Set<StartWhen>(['listening', 'called', 'checks']);

const startWhen: Rule<StartWhen> = {
  expects: "'listening', 'called' or 'checks'",
  accepts: (value): value is StartWhen => startWhens.has(value),
  fromText: (value) => value,
};

const probePaths = (): Rule<string | readonly string[]> => ({
  ...idList,
  expects: 'a path such as "/livez", other than the three endpoints, or a list of such paths',
  accepts: (value): value is string | readonly string[] =>
    Array.isArray(value) ? value.every((path) => pagePath.accepts(path)) : pagePath.accepts(value),
});

const peerAddress = /^(?:\[[\da-f:.]+\]|[\w.-]+):\d{1,5}$/i;
const isPeer = (value: unknown) =>
  typeof value === 'string' &&
  peerAddress.test(value) &&
  Number(value.slice(value.lastIndexOf(':') + 1)) <= 65_535;

const peerList = (): Rule<string | readonly string[]> => ({
  ...idList,
  expects: 'a name and a port such as "shop-headless:8000", or a list of them',
  accepts: (value): value is string | readonly string[] =>
    Array.isArray(value) ? value.every(isPeer) : isPeer(value),
});

const parts = () =>
  ({
    live: [probePaths(), '/livez'],
    ready: [probePaths(), '/readyz'],
    started: [probePaths(), '/startupz'],
    startWhen: [startWhen, 'listening'],
    failureThreshold: [runs(), 1],
    successThreshold: [runs(), 1],
    restartAfter: [duration, undefined],
    secondOpinionEvery: [timeout, 10_000],
    probeEvery: [timeout, 1000],
    peers: [peerList(), []],
  }) satisfies Declares<ProbesOptions>;

/** @internal */
export const probes = () => ({
  parts: parts(),
  example: '{ live: "/livez" }',
  resolve(values: Values<ReturnType<typeof parts>>, label: string): ResolvedProbes {
    const { live, ready, started, peers, ...others } = values;
    const lists = {
      live: listOf(live),
      ready: listOf(ready),
      started: listOf(started),
      peers: listOf(peers),
    };
    requireApart(lists, label);
    return { ...others, ...lists };
  },
});

/** Each path serves one probe. */
function requireApart(resolved: Pick<ResolvedProbes, Kind>, label: string): void {
  const taken = new Map<string, string>();
  for (const kind of ['live', 'ready', 'started'] as const) {
    for (const path of resolved[kind]) {
      const other = taken.get(path);
      if (other !== undefined) {
        const expects = other === kind ? 'listed only once' : `different from the path of ${label}.${other}`;
        throw optionInvalid(`Option ${label}.${kind}`, path, expects, 'Each path serves one probe.');
      }
      taken.set(path, kind);
    }
  }
}

const listOf = (paths: string | readonly string[]) => (typeof paths === 'string' ? [paths] : paths);
