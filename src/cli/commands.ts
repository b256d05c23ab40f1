import type { Command } from './command.js';

/** Every command with what it does, in the order of the help. */
export const summaries: readonly (readonly [name: string, summary: string])[] = [
  ['version', 'write version.json from git and the CI provider, at build time'],
  ['probe', 'ask a health endpoint once: for HEALTHCHECK in images without curl'],
  ['verify', 'test any service, in any language, against the contract'],
  ['wait', 'wait until services are up, healthy and run the right build'],
  ['doctor', 'judge how a service is wired: manifests, Dockerfiles, probes'],
  ['serve', 'serve the three endpoints as a service of its own'],
  ['fleet', 'show what runs where, by what Prometheus scrapes'],
  ['explain', 'explain a message id or an error code'],
  ['completion', 'print a script that completes commands and options in a shell'],
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
