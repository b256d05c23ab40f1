import { webUrl } from './address.js';
import { type FromGit, fromGit } from './git.js';
import { fromManifest } from './manifest.js';
import type { Identity } from './provider.js';
import { recognise } from './providers.js';

/** The four fields, in the order they are written. */
export const fields = ['commit', 'version', 'source', 'build'] as const;

/** The version fields that were found, and where. */
export interface Found {
  readonly identity: Identity;
  /** The CI provider, if one was recognised. */
  readonly provider: string | undefined;
  readonly git: Omit<FromGit, 'identity'>;
}

/**
 * The CI provider knows best, then git, then package.json. A version is the same from each of them: the tag `v1.2.3`
 * and the package 1.2.3 are both `1.2.3`.
 */
export async function findIdentity(cwd: string, env: NodeJS.Dict<string>): Promise<Found> {
  const provider = recognise(env);
  const [{ identity: git, ...trouble }, manifest] = await Promise.all([fromGit(cwd, env), fromManifest(cwd)]);
  const ci = provider?.identity ?? {};
  return {
    provider: provider?.name,
    git: trouble,
    identity: {
      // Buildkite says "HEAD" for a build that was started by hand.
      commit: first(isCommit(ci.commit) ? ci.commit : undefined, git.commit),
      version: first(ci.version, git.version, manifest.version)?.replace(/^v(?=\d)/i, ''),
      source: first(webUrl(ci.source), webUrl(git.source)),
      build: ci.build,
    },
  };
}

function first(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== '');
}

function isCommit(value: string | undefined): boolean {
  return value !== undefined && /^[0-9a-f]{7,64}$/i.test(value);
}
