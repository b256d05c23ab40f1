import { join } from 'node:path';
import { inject } from 'vitest';
import { insideProcess, outcomeOf } from '../../test/command/outcome.js';
import { run } from 'lifesign-cli/main';

export type { Outcome } from '../../test/command/outcome.js';

/** The built `lifesign-cli` command as a process of its own. */
export const lifesignCli = (
  args: readonly string[],
  options?: Parameters<typeof outcomeOf>[2],
): ReturnType<typeof outcomeOf> => outcomeOf(join(inject('builtCli'), 'dist/bin.js'), args, options);

export const inProcess = insideProcess(run);
