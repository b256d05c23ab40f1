// Processes that are started by turns: what they take from their start to their report.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, pinned } from './measure.mjs';

/** Ends a program: prints memory and CPU time of the process on standard error, because standard output may have its log. */
export const report =
  'const { user, system } = process.cpuUsage();' +
  'process.stderr.write(JSON.stringify([process.memoryUsage.rss(), user + system]));';

/**
 * Starts programs `rounds` times. Each is `{ home, code, flags }`: code that ends with the report, beside the packages of its home.
 * Returns the starts of each, by round.
 */
export function startByTurns(programs, rounds) {
  const scratches = new Map();
  try {
    const scripts = programs.map(({ home, code, flags = [] }, index) => {
      if (!scratches.has(home)) scratches.set(home, mkdtempSync(join(home, 'start-up-')));
      const script = join(scratches.get(home), `${index}.mjs`);
      writeFileSync(script, code);
      return [...flags, script];
    });
    const starts = programs.map(() => []);
    for (let round = 0; round < rounds; round += 1)
      for (const index of turnOf(round, scripts.length)) starts[index].push(startOnce(scripts[index]));
    return starts;
  } finally {
    for (const scratch of scratches.values()) rmSync(scratch, { recursive: true });
  }
}

/** Each comes first, and before and after each other, equally often: the first process after a pause takes longer. */
export function turnOf(round, many) {
  const turn = Array.from({ length: many }, (_, index) => (index + round) % many);
  return Math.floor(round / many) % 2 === 0 ? turn : turn.toReversed();
}

/** On one core: starts on two differ more, since the helper threads of V8 count too. */
const node = pinned ? ['taskset', '-c', '1', process.execPath] : [process.execPath];

function startOnce(args) {
  const [program, ...before] = node;
  const options = { encoding: 'utf8', cwd: import.meta.dirname };
  const start = performance.now();
  const { stderr, status } = spawnSync(program, [...before, ...args], options);
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  const [bytes, microseconds] = JSON.parse(stderr);
  return { ms: performance.now() - start, mb: bytes / 2 ** 20, cpu: microseconds / 1000 };
}

/** What starts take above the starts beside them, and their CPU time as a share of it. */
export function above(starts, base) {
  const differences = (unit) => median(starts.map((start, round) => start[unit] - base[round][unit]));
  const share = median(starts.map(({ cpu }, round) => cpu / base[round].cpu - 1));
  return { ms: differences('ms'), cpu: differences('cpu'), mb: differences('mb'), share };
}
