import { join } from 'node:path';
import { inject } from 'vitest';
import { run } from '../../src/command/main.js';
import { insideProcess, outcomeOf } from './outcome.js';

/** The built `lifesign` command as a process of its own. */
export const lifesign = (
  args: readonly string[],
  options?: Parameters<typeof outcomeOf>[2],
): ReturnType<typeof outcomeOf> => outcomeOf(join(inject('built'), 'dist/cli/bin.cjs'), args, options);

export const inProcess = insideProcess(run);
