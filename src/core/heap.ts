import { attempt, environment, host } from './runtime.js';

/** The old generation of the heap in bytes: the process ends when it is full. */
export interface OldGeneration {
  readonly used: number;
  readonly limit: number;
}

const mebibyte = 2 ** 20;

/** Reads the old generation of the heap; undefined on runtimes without V8's figures. */
export function oldGeneration(): OldGeneration | undefined {
  const v8 = attempt(() => host.getBuiltinModule?.('node:v8'));
  const all = attempt(() => v8?.getHeapStatistics().heap_size_limit);
  const spaces = attempt(() => v8?.getHeapSpaceStatistics());
  if (all === undefined || spaces === undefined || spaces.length === 0) return undefined;
  let used = 0;
  for (const space of spaces) if (!space.space_name.startsWith('new_')) used += space.space_used_size;
  return { used, limit: limitOf(all) };
}

/**
 * V8's limit counts the young generation, too, which is up to three times the size of a semi-space and cannot help an old one that is
 * full: with `--max-old-space-size=64` Node 24 has a limit of 256 MiB and ends at 64.
 */
function limitOf(all: number): number {
  const given = flag('max.old.space.size');
  if (given !== undefined && given * mebibyte <= all) return given * mebibyte;
  const usual = Number.parseInt(host.versions?.v8 ?? '', 10) >= 13 ? 64 : 16;
  return Math.max(all / 2, all - 3 * mebibyte * (flag('max.semi.space.size') ?? usual));
}

/** The number in a flag of V8, in MiB: on the command line, else in `NODE_OPTIONS`; the last one counts. */
function flag(name: string): number | undefined {
  const { NODE_OPTIONS = '' } = environment();
  const pattern = new RegExp(`^--${name}=(\\d+)$`);
  const flags = [...NODE_OPTIONS.split(/\s+/), ...(host.execArgv ?? [])];
  const given = flags.map((text) => Number(pattern.exec(text)?.[1] ?? 0)).filter((value) => value > 0);
  return given.at(-1);
}
