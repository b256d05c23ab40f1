// The fields of version.json and where they come from. It is public, and CI providers put tokens into the addresses they hand over.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scrub } from '../core/scrub/scrub.js';
import { fromGit } from './git.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The version fields that were found. */
interface Identity {
  readonly commit?: string | undefined;
  readonly version?: string | undefined;
  readonly source?: string | undefined;
  /** A link without credentials: its query and fragment have only parts that we added. */
  readonly build?: string | undefined;
}

/** The four fields, in the order they are written. */
export const fields = ['commit', 'version', 'source', 'build'] as const;

/** The version fields that were found, and where. */
export interface Found {
  readonly identity: Identity;
  /** The CI provider, if one was recognised. */
  readonly provider: string | undefined;
  /** Why git did not answer. */
  readonly refusal: string | undefined;
}

/**
 * The CI provider knows best, then git, then package.json. A version is the same from each of them: the tag `v1.2.3`
 * and the package 1.2.3 are both `1.2.3`.
 */
export async function findIdentity(cwd: string, env: NodeJS.Dict<string>): Promise<Found> {
  const [provider, , identityOf] = providers.find(([, marker]) => env[marker]) ?? [];
  const ci = identityOf?.(env) ?? {};
  const [git, version] = await Promise.all([fromGit(cwd, env), versionOfManifest(cwd)]);
  return {
    provider,
    refusal: git.refusal,
    identity: {
      commit: first(ci.commit, git.commit),
      version: first(ci.version, git.version, version)?.replace(/^v(?=\d)/i, ''),
      source: first(webUrl(ci.source), webUrl(git.source)),
      build: ci.build,
    },
  };
}

function first(...values: readonly (string | undefined)[]): string | undefined {
  return values.find((value) => value !== undefined && value !== '');
}

/** A CI provider: the variable by which it is recognised, and the fields that others give. */
type Provider = readonly [name: string, marker: string, identityOf: (env: Environment) => Identity];

/** The providers that most use. Elsewhere git knows all but the address of the build. */
const providers: readonly Provider[] = [
  [
    'GitHub Actions',
    'GITHUB_ACTIONS',
    (env) => {
      const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: run } = env;
      // Half an address is useless.
      const source = server && name ? `${server}/${name}` : undefined;
      const page = webUrl(source);
      return {
        commit: env['GITHUB_SHA'],
        version: env['GITHUB_REF_TYPE'] === 'tag' ? env['GITHUB_REF_NAME'] : undefined,
        source,
        build: page && run ? `${page}/actions/runs/${encodeURIComponent(run)}` : undefined,
      };
    },
  ],
  [
    'GitLab CI',
    'GITLAB_CI',
    (env) => ({
      commit: env['CI_COMMIT_SHA'],
      version: env['CI_COMMIT_TAG'],
      source: env['CI_PROJECT_URL'],
      build: webUrl(env['CI_JOB_URL']),
    }),
  ],
  [
    'Jenkins',
    'JENKINS_URL',
    (env) => ({
      commit: env['GIT_COMMIT'],
      version: env['TAG_NAME'],
      source: env['GIT_URL'],
      build: webUrl(env['BUILD_URL']),
    }),
  ],
];

async function versionOfManifest(cwd: string): Promise<string | undefined> {
  try {
    const { version }: { version?: unknown } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

/** Longer than any address. */
const maxLength = 2000;

/**
 * The address of a repository or a build as a link: `git@github.com:acme/app.git` is `https://github.com/acme/app`.
 * User, password, query and fragment go.
 */
export function webUrl(address: string | undefined): string | undefined {
  if (address === undefined || address.length > maxLength) return undefined;
  const bare = withoutUser(address);
  // A token with a slash in it, taken for a host: better no link than half a token.
  if (/[^/]@/.test(bare)) return undefined;
  const url = bare.includes('://') ? bare : fromScp(bare);
  if (url === undefined || !URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  if (parsed.protocol === 'file:' || parsed.hostname === '') return undefined;
  const scheme = parsed.protocol === 'http:' ? 'http:' : 'https:';
  const host = /^https?:$/.test(parsed.protocol) ? parsed.host : parsed.hostname;
  const path = parsed.pathname.replace(/\.git\/?$/, '').replace(/\/$/, '');
  return `${scheme}//${host}${scrub(path)}`;
}

/** `host:path`, as ssh and git write it; undefined for a path of a file and for git's `helper::address`. */
function fromScp(address: string): string | undefined {
  const [, host, path] = /^([^:/\s]{2,}):([^:\s]\S*)$/.exec(address) ?? [];
  return host === undefined ? undefined : `https://${host}/${path}`;
}

/** All up to the last @ goes, as in `scrub`: a password may hold every other character. */
function withoutUser(address: string): string {
  const [before = '', ...after] = address.split('://');
  const scheme = after.length === 0 ? '' : `${before}://`;
  const rest = address.slice(scheme.length);
  const [authority = ''] = rest.split(/[/?#]/, 1);
  // Without a user, an @ belongs to the path: https://host/@acme/app
  if (scheme !== '' && !/[:@]/.test(authority)) return address;
  return scheme + rest.slice(rest.lastIndexOf('@') + 1);
}

/** A value that was given for version.json, without the credentials of an address in it. */
export function withoutCredentials(field: string, value: string): string {
  if (!value.includes('://')) {
    const isAddress = field === 'source' || field === 'build';
    // git@host:path has nothing to hide.
    return isAddress && !/^git@[^@:]+:/.test(value) ? withoutUser(value) : value;
  }
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) {
    return value.replace(/\S+/g, (word) => (word.includes('://') ? withoutUser(word) : word));
  }
  const [, address = '', query = '', fragment = ''] =
    /^([^?#]*)(\?[^#]*)?(#[^]*)?$/.exec(withoutUser(value)) ?? [];
  return address + harmless(query) + harmless(fragment);
}

const secretName = /tok|key|secret|pass|pwd|auth|sig|cred|sess|code|jwt|sas|cookie/i;

/** A query or a fragment without the parameters that look like credentials. */
function harmless(part: string): string {
  const parameters = part.slice(1).split('&');
  const kept = parameters.filter((pair) => {
    const [name = ''] = pair.split('=', 1);
    return pair.length <= maxLength && !secretName.test(name) && scrub(pair) === pair;
  });
  if (kept.length === parameters.length) return part;
  return kept.length === 0 ? '' : part.slice(0, 1) + kept.join('&');
}
