import { execFile } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/** Facts about the git repository around a directory. */
export interface FromGit {
  readonly identity: {
    readonly commit?: string | undefined;
    readonly version?: string | undefined;
    readonly source?: string | undefined;
  };
  /** Why git did not answer; undefined if it did, or if there is no repository or no git. */
  readonly refusal?: string;
  /** The command that git suggests to users who trust the owner of the repository. */
  readonly remedy?: string | undefined;
}

/**
 * Asks git without trusting the repository: anyone with write access to a parent directory can put one there, and its
 * configuration names programs. Git's own check of the owner stays on, and nothing that we ask may start one of them.
 */
const settings = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.askPass=',
  'core.sshCommand=false',
  'credential.helper=',
  'protocol.allow=never',
  // A directory that only looks like a repository can be part of any checkout.
  'safe.bareRepository=explicit',
];

const variables: Environment = {
  // Wins over protocol.*.allow of the repository: no transport, and so no lazy fetch, whatever the version of git.
  GIT_ALLOW_PROTOCOL: '',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ATTR_NOSYSTEM: '1',
  LC_ALL: 'C',
};

/** Which repository and which settings: the caller of the command decides, as with git itself. */
const kept = /^GIT_(?:DIR|WORK_TREE|COMMON_DIR|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|CONFIG.*)$/;

/** Reads the git repository around a directory. Never rejects, and ends within about `timeout` milliseconds. */
export async function fromGit(cwd: string, env: Environment, timeout = 10_000): Promise<FromGit> {
  const runGit = (...args: readonly string[]) => git(cwd, cleaned(env), timeout, args);
  const [commit, version, source] = await Promise.all([
    runGit('rev-parse', '--verify', 'HEAD'),
    runGit('describe', '--tags', '--exact-match', 'HEAD'),
    runGit('remote', 'get-url', 'origin'),
  ]);
  const identity = { commit: commit.line, version: version.line, source: source.line };
  return { identity, ...(commit.line === undefined && refusalOf(commit.error)) };
}

function cleaned(env: Environment): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || kept.test(name));
  return { ...Object.fromEntries(own), ...variables };
}

interface Reply {
  readonly line?: string;
  readonly error?: string;
}

function git(cwd: string, env: NodeJS.ProcessEnv, timeout: number, args: readonly string[]): Promise<Reply> {
  const all = ['--no-pager', ...settings.flatMap((setting) => ['-c', setting]), ...args];
  const bounds = { timeout, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 } as const;
  return new Promise((resolve) => {
    execFile('git', all, { cwd, env, ...bounds }, (error, stdout, stderr) => {
      const line = stdout.trim();
      if (error === null) resolve(line === '' ? {} : { line });
      else if (error.code === 'ENOENT') resolve({});
      else if (error.killed === true) resolve({ error: `git did not answer within ${timeout} ms` });
      else resolve({ error: stderr });
    });
  });
}

// Nothing is wrong: there is no repository, or none with a commit.
const empty = /^fatal: (?:not a git repository|needed a single revision)/im;

function refusalOf(error = ''): Pick<FromGit, 'refusal' | 'remedy'> {
  if (error === '' || empty.test(error)) return {};
  const [first = ''] = error.split('\n');
  return {
    refusal: first.replace(/^(?:fatal|error): /, '').slice(0, 300),
    remedy: /^[ \t]*(git config --global --add safe\.directory .+)$/m.exec(error)?.[1]?.slice(0, 300),
  };
}
