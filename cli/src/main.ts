import { type Io, type Program, run as runProgram } from '../../src/tools.js';
import { version } from './version.js';

/** Every command with its description, in the order of the help. */
const summaries: Program['summaries'] = [
  ['init', 'put lifesign into a project, as a diff with reasons'],
  ['verify', 'test a running service, in any language, against the contract'],
  ['wait', 'wait until services are up, healthy and on the right build'],
  ['doctor', 'find mistakes in manifests, Dockerfiles and probes'],
  ['fleet', 'show which builds run where, from Prometheus'],
  ['explain', 'explain a message id, an error code or a rule'],
];

/** Loads only the code of this command. */
const commands: Program['commands'] = {
  init: () => import('./init/command.js'),
  verify: () => import('./verify/command.js'),
  wait: () => import('./wait/command.js'),
  doctor: () => import('./doctor/command.js'),
  fleet: () => import('./fleet/command.js'),
  explain: () => import('./explain/command.js'),
};

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
