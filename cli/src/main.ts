import { type Io, type Program, run as runProgram } from '../../src/tools.js';
import { commands, summaries } from './commands.js';
import { version } from './version.js';

const tools: Program = {
  name: 'lifesign-cli',
  version,
  about: 'Tools for services that report their health, in any language.',
  summaries,
  commands,
  elsewhere: ['lifesign', ['probe', 'version']],
};

/** The exit code of a command line. */
export const run = (args: readonly string[], io: Io): Promise<number> => runProgram(tools, args, io);

/** Runs a command line and leaves its exit code in `process.exitCode`. */
export async function main(args: readonly string[]): Promise<void> {
  const { stdout, stderr, stdin, env } = process;
  // The reader of our output may stop early: `lifesign-cli verify … | head`.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  process.exitCode = await run(args, { stdout, stderr, stdin, env, cwd: process.cwd() });
  // A connection or a client that is still open would keep the process alive.
  stdout.write('', () => stderr.write('', () => process.exit()));
}
