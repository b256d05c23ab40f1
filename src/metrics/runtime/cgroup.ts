import { attempt, host } from '../../core/runtime.js';

/** The memory of the container: the tightest limit that applies to this process, and its use. */
export interface ContainerMemory {
  readonly limit: number;
  /** Without the cache of files, which the kernel gives back: as the kubelet counts it. */
  readonly used: number | undefined;
}

/** The names of the files in version 1 and in version 2 of control groups. */
interface Files {
  readonly limit: string;
  readonly used: string;
  /** The line of `memory.stat` that has the cache. */
  readonly cache: string;
}

const version1: Files = {
  limit: 'memory.limit_in_bytes',
  used: 'memory.usage_in_bytes',
  cache: 'total_inactive_file',
};
const version2: Files = { limit: 'memory.max', used: 'memory.current', cache: 'inactive_file' };

/** Reads the memory of the container; undefined without a limit, and on systems without control groups. `root` is for tests. */
export function containerMemory(root = ''): ContainerMemory | undefined {
  if (host.platform !== 'linux') return undefined;
  const groups = read(`${root}/proc/self/cgroup`)?.split('\n') ?? [];
  const memoryPath = groups
    .map((line) => /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/.exec(line)?.[1])
    .find(Boolean);
  const unifiedPath = groups.map((line) => /^0::(\/.*)$/.exec(line)?.[1]).find(Boolean);
  return (
    (memoryPath && tightest(`${root}/sys/fs/cgroup/memory`, memoryPath, version1)) ||
    (unifiedPath && tightest(`${root}/sys/fs/cgroup`, unifiedPath, version2)) ||
    undefined
  );
}

/** Of a group and those above it, the one with the lowest limit. In a container the path may be that of the host: only its root exists then. */
function tightest(mount: string, path: string, files: Files): ContainerMemory | undefined {
  // Without a limit, version 1 has a number that no machine has.
  const machine = attempt(() => host.getBuiltinModule?.('node:os').totalmem()) ?? Infinity;
  const parts = path.split('/').filter((part) => part !== '' && part !== '..');
  let found: { readonly limit: number; readonly directory: string } | undefined;
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    const directory = [mount, ...parts.slice(0, depth)].join('/');
    const limit = numberIn(`${directory}/${files.limit}`);
    if (limit !== undefined && limit < (found?.limit ?? machine)) {
      found = { limit, directory };
    }
  }
  return found && { limit: found.limit, used: usedIn(found.directory, files) };
}

function usedIn(directory: string, files: Files): number | undefined {
  const used = numberIn(`${directory}/${files.used}`);
  const stat = read(`${directory}/memory.stat`) ?? '';
  const cache = Number(new RegExp(`^${files.cache} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0);
  return used === undefined ? undefined : Math.max(0, used - cache);
}

/** A number above 0; `max` is not one. */
function numberIn(file: string): number | undefined {
  const value = Number(read(file)?.trim());
  return value > 0 ? value : undefined;
}

function read(file: string): string | undefined {
  return attempt(() => host.getBuiltinModule?.('node:fs').readFileSync(file, 'utf8'));
}
