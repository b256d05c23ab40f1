import type { Program } from './program.js';

/** Every command with its description, in the order of the help. */
export const summaries: Program['summaries'] = [
  ['version', 'write version.json at build time, from git and the CI provider'],
  ['probe', 'request a health endpoint once: for HEALTHCHECK without curl'],
];

/** `probe` is not among them: bin.cts runs it without loading anything else. */
export const commands: Program['commands'] = { version: () => import('./version/command.js') };
