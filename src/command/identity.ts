// The fields of version.json: from the CI provider, git and package.json. It is public, and CI providers put tokens into addresses.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scrub } from '../core/scrub/scrub.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The four fields, in the order they are written. */
export const fields = ['commit', 'version', 'source', 'build'] as const;

type Identity = { readonly [Field in (typeof fields)[number]]?: string | undefined };

/**
 * The version fields, the CI provider if one was recognised, and why git did not answer. The CI provider knows best, then git, then
 * package.json. A version is the same from each of them: the tag `v1.2.3` and the package 1.2.3 are both `1.2.3`.
 */
export async function findIdentity(cwd: string, env: Environment) {
  const { provider, ...ci } = fromProvider(env);
  const [git, version] = await Promise.all([fromGit(cwd, env), versionOfManifest(cwd)]);
  const identity: Identity = {
    commit: ci.commit || git.commit,
    version: (ci.version || git.version || version)?.replace(/^v(?=\d)/i, ''),
    source: webUrl(ci.source) ?? webUrl(git.source),
    build: webUrl(ci.build),
  };
  return { identity, provider, refusal: git.refusal };
}

/** The providers that most use. Elsewhere git knows all but the address of the build. */
function fromProvider(env: Environment): Identity & { readonly provider?: string } {
  if (env['GITHUB_ACTIONS']) {
    const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: run } = env;
    const version = env['GITHUB_REF_TYPE'] === 'tag' ? env['GITHUB_REF_NAME'] : undefined;
    // Half an address is useless.
    const source = server && name ? webUrl(`${server}/${name}`) : undefined;
    const build = source && run ? `${source}/actions/runs/${run}` : undefined;
    return { provider: 'GitHub Actions', commit: env['GITHUB_SHA'], version, source, build };
  }
  if (env['GITLAB_CI']) {
    const { CI_COMMIT_SHA: commit, CI_COMMIT_TAG: version, CI_PROJECT_URL: source, CI_JOB_URL: build } = env;
    return { provider: 'GitLab CI', commit, version, source, build };
  }
  if (env['JENKINS_URL']) {
    const { GIT_COMMIT: commit, TAG_NAME: version, GIT_URL: source, BUILD_URL: build } = env;
    return { provider: 'Jenkins', commit, version, source, build };
  }
  return {};
}

async function versionOfManifest(cwd: string): Promise<string | undefined> {
  try {
    const { version }: { version?: unknown } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Anyone with write access to a parent directory can put a repository there, and its configuration names programs. git's own check of the
 * owner stays on; our commands start a program only to fetch from a remote, which is forbidden here.
 */
const gitVariables: Environment = {
  // Wins over protocol.*.allow of the repository: no transport, and so no lazy fetch, regardless of the version of git.
  GIT_ALLOW_PROTOCOL: '',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
};
// A directory that only looks like a repository can be part of any checkout.
const gitOptions = ['--no-pager', '-c', 'safe.bareRepository=explicit'];

/** Reads the git repository around a directory. Never rejects. */
async function fromGit(cwd: string, variables: Environment) {
  const env = { ...variables, ...gitVariables };
  const [commit, version, source] = await Promise.all([
    git(cwd, env, 'rev-parse', '--verify', 'HEAD'),
    git(cwd, env, 'describe', '--tags', '--exact-match', 'HEAD'),
    git(cwd, env, 'remote', 'get-url', 'origin'),
  ]);
  return { commit: commit.text, version: version.text, source: source.text, refusal: commit.refusal };
}

const gitTimeout = 10_000;
const gitBounds = { timeout: gitTimeout, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 } as const;
const noCommit = /^fatal: (?:not a git repository|needed a single revision)/im;

/** The output of git, or why it did not answer; neither if there is no repository, no commit or no git. */
function git(
  cwd: string,
  env: NodeJS.ProcessEnv,
  ...args: readonly string[]
): Promise<{ readonly text?: string; readonly refusal?: string }> {
  return new Promise((resolve) => {
    execFile('git', [...gitOptions, ...args], { cwd, env, ...gitBounds }, (error, stdout, stderr) => {
      if (error === null) resolve({ text: stdout.trim() });
      else if (error.killed === true) resolve({ refusal: `no answer within ${gitTimeout} ms` });
      else if (error.code === 'ENOENT' || noCommit.test(stderr)) resolve({});
      // For a repository of another owner, git says how to trust the owner.
      else
        resolve({
          refusal: stderr
            .replace(/^(?:fatal|error): /, '')
            .replace(/\s+/g, ' ')
            .trim()
            .slice(0, 600),
        });
    });
  });
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
  const { protocol, host, hostname, pathname } = new URL(url);
  if (protocol === 'file:' || hostname === '') return undefined;
  const scheme = protocol === 'http:' ? 'http:' : 'https:';
  const path = pathname.replace(/\.git\/?$/, '').replace(/\/$/, '');
  return `${scheme}//${/^https?:$/.test(protocol) ? host : hostname}${scrub(path)}`;
}

/** `host:path`, as ssh and git write it; undefined for a path of a file and for git's `helper::address`. */
function fromScp(address: string): string | undefined {
  const [, host, path] = /^([^:/\s]{2,}):([^:\s]\S*)$/.exec(address) ?? [];
  return host === undefined ? undefined : `https://${host}/${path}`;
}

/** Removes everything up to the last @: a password may contain every other character. */
function withoutUser(address: string): string {
  const [before = '', ...after] = address.split('://');
  const scheme = after.length === 0 ? '' : `${before}://`;
  const rest = address.slice(scheme.length);
  const [authority = ''] = rest.split(/[/?#]/, 1);
  // Without a user, an @ belongs to the path: https://host/@acme/app
  if (scheme !== '' && !/[:@]/.test(authority)) return address;
  return scheme + rest.slice(rest.lastIndexOf('@') + 1);
}

/** A value for version.json without the credentials in it: `u:p@host:path` has some, `git@host:path` has none. */
export function withoutCredentials(value: string): string {
  const isAddress = /:\/\/|^[^@:]*:[^@]*@/;
  return scrub(value.replace(/\S+/g, (word) => (isAddress.test(word) ? withoutUser(word) : word)));
}
