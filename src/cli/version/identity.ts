import { fromGit, fromPackage } from './git.js';
import { type Identity, recognise } from './providers.js';

/** The four fields, in the order they are written. */
export const fields = ['commit', 'version', 'source', 'build'] as const;

/** What was found of the build, and where. */
export interface Found {
  readonly identity: Identity;
  /** The CI provider, where one was recognised. */
  readonly provider: string | undefined;
}

/** The CI provider knows best, then git, then package.json. */
export async function findIdentity(cwd: string, env: NodeJS.Dict<string>): Promise<Found> {
  const provider = recognise(env);
  const [git, manifest] = await Promise.all([fromGit(cwd), fromPackage(cwd)]);
  const ci = provider?.identity ?? {};
  return {
    provider: provider?.name,
    identity: {
      // Buildkite says "HEAD" for a build that somebody started by hand.
      commit: first(isCommit(ci.commit) ? ci.commit : undefined, git.commit),
      version: first(ci.version, git.version, manifest.version),
      source: webUrl(first(ci.source, git.source)),
      build: webUrl(ci.build),
    },
  };
}

function first(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== '');
}

function isCommit(value: string | undefined): boolean {
  return value !== undefined && /^[0-9a-f]{7,64}$/i.test(value);
}

/**
 * A repository's address as a link: `git@github.com:acme/app.git` is `https://github.com/acme/app`.
 * User and password go: CI providers put tokens there, and version.json is served to everybody.
 */
export function webUrl(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const scp = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/\/)(.+)$/.exec(address);
  const url = scp ? `https://${scp[1]}/${scp[2]}` : address;
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  if (parsed.protocol === 'file:' || parsed.hostname === '') return undefined;
  const scheme = parsed.protocol === 'http:' ? 'http:' : 'https:';
  const host = /^https?:$/.test(parsed.protocol) ? parsed.host : parsed.hostname;
  const path = parsed.pathname.replace(/\.git\/?$/, '').replace(/\/$/, '');
  return `${scheme}//${host}${path}${parsed.search}${parsed.hash}`;
}
