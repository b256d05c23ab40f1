import { attempt, host } from '../core/runtime.js';

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
