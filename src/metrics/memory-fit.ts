import type { Feature, FeatureHost } from '../core/feature.js';
import { levels } from '../core/heartbeat/messages.js';
import { attempt, environment, host, shared } from '../core/runtime.js';

/** The limits of V8's heap and of the container, in bytes. */
interface Limits {
  readonly heap: number;
  readonly container: number;
}

/** A heap limit that does not fit the container: the line for the log. */
interface Misfit {
  readonly kind: 'above' | 'below';
  readonly msg: string;
}

/** Share of the container's memory that the heap should get: the rest is for buffers, code, threads and native memory. */
const share = 0.75;
/** Shares of the container's memory above and below which the heap limit does not fit. */
const maxShare = 0.95;
const leastShare = 0.4;
/** Milliseconds between two readings: a container is seldom resized. */
const readEvery = 10_000;

/** The container limit in the last logged line, shared by all Healths because they share the heap. */
const said: { container?: number | undefined } = /* @__PURE__ */ shared('memoryFit', () => ({}));

/** Compares V8's heap limit with that of the container: at start, and when the checks have run, because containers are resized. */
export function memoryFit(
  log: FeatureHost<never>['log'],
  read: () => Limits | undefined = readLimits,
): Pick<Feature<never>, 'onHeartbeat'> & { onHeartbeat(): void } {
  let at = -Infinity;
  const onHeartbeat = (): void => {
    const now = performance.now();
    if (now - at < readEvery) return;
    at = now;
    const limits = read();
    if (said.container === limits?.container) return;
    said.container = limits?.container;
    const misfit = limits && misfitOf(limits);
    if (misfit === undefined) return;
    const { kind, msg } = misfit;
    const level = kind === 'above' ? levels.warning : levels.info;
    log({ logger: 'health', level, time: Date.now(), fields: {}, msg });
  };
  onHeartbeat();
  return { onHeartbeat };
}

/** Compares V8's heap limit with the container, and suggests a flag if it does not fit. */
export function misfitOf({ heap, container }: Limits): Misfit | undefined {
  const ratio = heap / container;
  if (ratio <= maxShare && ratio >= leastShare) return undefined;
  const flag = `--max-old-space-size=${Math.max(16, Math.floor((container * share) / 2 ** 20))}`;
  const limits = `the heap limit of V8 is ${mebibytes(heap)}, the memory limit of the container ${mebibytes(container)}`;
  const fix = `Start Node with ${flag}, or set NODE_OPTIONS=${flag}.`;
  return ratio > maxShare
    ? {
        kind: 'above',
        msg: `The heap may grow beyond the container: ${limits}. The kernel would kill the process (exit code 137) before V8 collects enough garbage. ${fix}`,
      }
    : { kind: 'below', msg: `The heap cannot use the memory of the container: ${limits}. ${fix}` };
}

const mebibyte = 2 ** 20;
const mebibytes = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`;

/** Undefined without a limit, and in a thread, whose heap has its own. */
function readLimits(): Limits | undefined {
  if (attempt(() => host.getBuiltinModule?.('node:worker_threads').isMainThread) !== true) return undefined;
  const container = memoryLimit();
  const heap = heapLimit();
  return container === undefined || heap === undefined ? undefined : { heap, container };
}

/** Bytes that the old generation of the heap may have: the process ends when it is full. Undefined on runtimes without V8's figures. */
function heapLimit(): number | undefined {
  const all = attempt(() => host.getBuiltinModule?.('node:v8').getHeapStatistics().heap_size_limit);
  if (all === undefined) return undefined;
  // V8's limit counts the young generation too, up to three times the size of a semi-space: with `--max-old-space-size=64`
  // Node 24 has a limit of 256 MiB and ends at 64.
  const given = v8Flag('max.old.space.size');
  if (given !== undefined && given * mebibyte <= all) return given * mebibyte;
  const usual = Number.parseInt(host.versions?.v8 ?? '', 10) >= 13 ? 64 : 16;
  return Math.max(all / 2, all - 3 * mebibyte * (v8Flag('max.semi.space.size') ?? usual));
}

/** The number in a flag of V8, in MiB: on the command line, else in `NODE_OPTIONS`; the last one counts. */
function v8Flag(name: string): number | undefined {
  const { NODE_OPTIONS = '' } = environment();
  const pattern = new RegExp(`^--${name}=(\\d+)$`);
  const flags = [...NODE_OPTIONS.split(/\s+/), ...(host.execArgv ?? [])];
  const given = flags.map((text) => Number(pattern.exec(text)?.[1] ?? 0)).filter((value) => value > 0);
  return given.at(-1);
}

/** The memory limit of the container in bytes, the lowest on the way up; undefined without one, and on systems without control groups. `root` is for tests. */
export function memoryLimit(root = ''): number | undefined {
  if (host.platform !== 'linux') return undefined;
  const groups = read(`${root}/proc/self/cgroup`)?.split('\n') ?? [];
  const pathOf = (pattern: RegExp) => groups.map((line) => pattern.exec(line)?.[1]).find(Boolean);
  const version1 = pathOf(/^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/);
  const version2 = pathOf(/^0::(\/.*)$/);
  return (
    (version1 && lowest(`${root}/sys/fs/cgroup/memory`, version1, 'memory.limit_in_bytes')) ||
    (version2 && lowest(`${root}/sys/fs/cgroup`, version2, 'memory.max')) ||
    undefined
  );
}

/** Of a group and those above it. In a container the path may be that of the host: only its root exists then. */
function lowest(mount: string, path: string, file: string): number | undefined {
  // Without a limit, version 1 has a number that no machine has.
  const machine = attempt(() => host.getBuiltinModule?.('node:os').totalmem()) ?? Infinity;
  const parts = path.split('/').filter((part) => part !== '' && part !== '..');
  const limits = [...parts, ''].map((_, depth) =>
    Number(read([mount, ...parts.slice(0, depth), file].join('/'))?.trim()),
  );
  // `max` is not a number.
  const found = Math.min(...limits.filter((limit) => limit > 0));
  return found < machine ? found : undefined;
}

function read(file: string): string | undefined {
  return attempt(() => host.getBuiltinModule?.('node:fs').readFileSync(file, 'utf8'));
}
