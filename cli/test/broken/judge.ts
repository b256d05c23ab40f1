import { inProcess } from '../run.js';
import type { Result } from '../verifying.js';
import { reviewMutations } from './client-mutations.js';
import { type LogMutation, logMutations } from './log-mutations.js';
import type { Mutation } from './mutation.js';
import { reportMutations } from './report-mutations.js';
import { type Running, start } from './service.js';
import { wireMutations } from './wire-mutations.js';

export const answerMutations: readonly Mutation[] = [
  ...wireMutations,
  ...reportMutations,
  ...reviewMutations,
];
export { logMutations };

const patient = ['--json', '--max-latency', '20s', '--timeout', '30s'];

/** The rules that object, of those that should. */
function objections(stdout: string, finds: readonly string[]): readonly Result[] {
  const { results }: { results: Result[] } = JSON.parse(stdout);
  return results.filter(({ name, outcome }) => finds.includes(name) && /failed|advised/.test(outcome));
}

/** Whether verify objects to a mutation, by one of the rules that should. */
export async function isFound({ finds, spoil, args = [] }: Mutation): Promise<boolean> {
  const service = await start(spoil);
  const { code, stdout } = await inProcess(['verify', service.url, ...patient, ...args]);
  await service.close();
  const found = objections(stdout, finds);
  // What the specification demands fails.
  return found.length > 0 && (code === 1) === /"outcome": ?"failed"/.test(stdout);
}

/** A few at a time: most of the time is waiting for the loopback. */
export async function missedOf<T extends { name: string }>(
  all: readonly T[],
  judge: (one: T) => Promise<boolean>,
  atOnce = 6,
) {
  const missed: string[] = [];
  const left = [...all];
  const work = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (!(await judge(next))) missed.push(next.name);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return missed;
}

/** The same for a mutation of the log. One at a time: they share a service. */
export async function isFoundInLog({ finds, spoil }: LogMutation, service: Running): Promise<boolean> {
  service.lines.length = 0;
  const stdin = (async function* () {
    // Read after the requests are made.
    yield Buffer.from(spoil([...service.lines]).join('\n'));
  })();
  const { stdout } = await inProcess(['verify', service.url, '--logs', '-', ...patient], { stdin });
  return objections(stdout, finds).length > 0;
}
