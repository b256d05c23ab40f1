import { createRequire } from 'node:module';
import type { Io } from './io.js';
import { commands, summaries } from './commands.js';
import { type Program, run as runProgram } from './program.js';
import { runTool } from './tools.js';

const { version }: { version?: unknown } = createRequire(import.meta.url)('lifesign/package.json');

const lifesign: Program = {
  name: 'lifesign',
  version: String(version),
  about: 'Health and build identity of a web service in a container.',
  summaries,
  more: `
Tools for people and pipelines are a package of their own, lifesign-cli:
  npx lifesign-cli init | verify | wait | doctor | fleet | explain
`,
  commands,
  elsewhere: runTool,
};

/** The exit code of a command line. */
export const run = (args: readonly string[], io: Io): Promise<number> => runProgram(lifesign, args, io);

/** Runs a command line and leaves its exit code in `process.exitCode`. */
export async function main(args: readonly string[]): Promise<void> {
  const { stdout, stderr, stdin, env } = process;
  process.exitCode = await run(args, { stdout, stderr, stdin, env, cwd: process.cwd() });
}
