import type { Program } from '../../src/tools.js';

/** Every command with its description, in the order of the help. */
export const summaries: Program['summaries'] = [
  ['init', 'put lifesign into a project, as a diff with reasons'],
  ['verify', 'test a running service, in any language, against the contract'],
  ['wait', 'wait until services are up, healthy and on the right build'],
  ['doctor', 'find mistakes in manifests, Dockerfiles and probes'],
  ['fleet', 'show which builds run where, from Prometheus'],
  ['explain', 'explain a message id or an error code'],
];

/** Loads only the code of this command. */
export const commands: Program['commands'] = {
  init: () => import('./init/command.js'),
  verify: () => import('./verify/command.js'),
  wait: () => import('./wait/command.js'),
  doctor: () => import('./doctor/command.js'),
  fleet: () => import('./fleet/command.js'),
  explain: () => import('./explain/command.js'),
};
