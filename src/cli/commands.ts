import type { Command } from './command.js';

/** Every command with what it does, in the order of the help. */
export const summaries: readonly (readonly [name: string, summary: string])[] = [
  ['version', 'write version.json at build time, from git and the CI provider'],
  ['probe', 'request a health endpoint once: for HEALTHCHECK without curl'],
  ['verify', 'test a running service, in any language, against the contract'],
  ['wait', 'wait until services are up, healthy and on the right build'],
  ['doctor', 'find mistakes in manifests, Dockerfiles and probes'],
  ['serve', 'serve the three endpoints as a separate service'],
  ['fleet', 'show which builds run where, from Prometheus'],
  ['explain', 'explain a message id or an error code'],
  ['completion', 'print a shell completion script'],
];

/** Only what the command needs is loaded. `probe` never comes here: see bin.cts. */
export const commands: Readonly<Record<string, (() => Promise<{ readonly command: Command }>) | undefined>> =
  {
    version: () => import('./version/command.js'),
    verify: () => import('./verify/command.js'),
    wait: () => import('./wait/command.js'),
    doctor: () => import('./doctor/command.js'),
    serve: () => import('./serve/command.js'),
    fleet: () => import('./fleet/command.js'),
    explain: () => import('./explain/command.js'),
  };
