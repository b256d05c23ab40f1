import { createRequire } from 'node:module';
import { type Io, type Program, run as runProgram } from './program.js';

const { version }: { version?: unknown } = createRequire(import.meta.url)('lifesign/package.json');

const lifesign: Program = {
  name: 'lifesign',
  version: String(version),
  about: 'Health and build identity of a web service in a container.',
  // In the order of the help.
  summaries: [
    ['version', 'write version.json at build time, from git and the CI provider'],
    ['probe', 'request a health endpoint once: for HEALTHCHECK without curl'],
  ],
  more: `
Tools for people and pipelines are a package of their own, lifesign-cli:
  npx lifesign-cli init | verify | wait | doctor | fleet | explain
`,
  // Without `probe`: bin.cts runs it and loads nothing else.
  commands: { version: () => import('./version.js') },
  elsewhere: ['lifesign-cli', ['verify', 'wait', 'doctor', 'init', 'fleet', 'explain']],
};

/** The exit code of a command line. */
export const run = (args: readonly string[], io: Io): Promise<number> => runProgram(lifesign, args, io);

/** Runs a command line and leaves its exit code in `process.exitCode`. */
export async function main(args: readonly string[]): Promise<void> {
  const { stdout, stderr, stdin, env } = process;
  process.exitCode = await run(args, { stdout, stderr, stdin, env, cwd: process.cwd() });
}
