import { inProcess } from './run.js';

/** A rule and its outcome, as --json prints it. */
export interface Result {
  readonly name: string;
  readonly demand: string;
  readonly reference: string;
  readonly docs: string;
  readonly outcome: 'passed' | 'failed' | 'advised' | 'skipped';
  readonly reason: string;
}

/** verify in this process, with time for a busy machine. */
export async function verifying(args: readonly string[], io?: Parameters<typeof inProcess>[1]) {
  const { code, stdout, stderr } = await inProcess(
    ['verify', ...args, '--json', '--max-latency', '20s', '--timeout', '30s'],
    io,
  );
  const { results }: { results: readonly Result[] } = JSON.parse(stdout);
  const of = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome);
  return { code, stderr, results, failed: of('failed'), advised: of('advised'), skipped: of('skipped') };
}

export const named = (results: readonly Result[]): readonly string[] => results.map(({ name }) => name);
