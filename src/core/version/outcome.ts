/** The outcome of reading the version: JSON text to serve, nothing, or a reason for an operator. */
export type VersionOutcome =
  | { readonly kind: 'found'; readonly json: string }
  | { readonly kind: 'missing'; /** Where it was looked for. */ readonly lookedIn?: readonly string[] }
  | { readonly kind: 'broken'; readonly sentence: string; readonly cause: string };

export const missing: VersionOutcome = { kind: 'missing' };
export const broken = (sentence: string, cause: string): VersionOutcome => ({
  kind: 'broken',
  sentence,
  cause,
});

/** For runtimes without files. */
export const noFiles: VersionOutcome = broken(
  'version.json cannot be read on this runtime',
  'This runtime has no file system: provide the version with health.versionCallback(() => ({ … })).',
);

/** Bytes that a version may have. */
export const maxBytes = 2 ** 20;
