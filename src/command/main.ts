import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toolMissing } from './errors.js';
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
  elsewhere: runTool,
};

/** The exit code of a command line. */
export const run = (args: readonly string[], io: Io): Promise<number> => runProgram(lifesign, args, io);

/** Runs a command line and leaves its exit code in `process.exitCode`. */
export async function main(args: readonly string[]): Promise<void> {
  const { stdout, stderr, stdin, env } = process;
  process.exitCode = await run(args, { stdout, stderr, stdin, env, cwd: process.cwd() });
}

/** The commands of lifesign-cli; its own list is compared with this one by a test. */
export const tools: readonly string[] = ['verify', 'wait', 'doctor', 'init', 'fleet', 'explain'];

/** Runs a command of lifesign-cli if that is installed: in the project, or beside this package. */
export function runTool(args: readonly string[], io: Io): Promise<number> | undefined {
  const [name = ''] = args;
  return tools.includes(name) ? runInstalled(name, args, io) : undefined;
}

async function runInstalled(name: string, args: readonly string[], io: Io): Promise<number> {
  const file = [join(io.cwd, 'package.json'), import.meta.url].map(resolveFrom).find(Boolean);
  if (file === undefined) throw toolMissing(name);
  const { main }: { main: (args: readonly string[]) => Promise<void> } = await import(
    pathToFileURL(file).href
  );
  await main(args);
  return Number(process.exitCode);
}

function resolveFrom(place: string): string | undefined {
  try {
    return createRequire(place).resolve('lifesign-cli/main');
  } catch {
    return undefined;
  }
}
