import { execFile } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

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

/** Reads the git repository around a directory. Never rejects. */
export async function fromGit(cwd: string, env: Environment) {
  const own = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || kept.test(name));
  const ask = (...args: readonly string[]) => git(cwd, { ...Object.fromEntries(own), ...variables }, args);
  const [commit, version, source] = await Promise.all([
    ask('rev-parse', '--verify', 'HEAD'),
    ask('describe', '--tags', '--exact-match', 'HEAD'),
    ask('remote', 'get-url', 'origin'),
  ]);
  return { commit: commit.text, version: version.text, source: source.text, refusal: commit.refusal };
}

interface Reply {
  readonly text?: string;
  /** Why git did not answer; undefined if there is no repository, no commit or no git. */
  readonly refusal?: string;
}

const timeout = 10_000;
const bounds = { timeout, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 } as const;
const nothing = /^fatal: (?:not a git repository|needed a single revision)/im;

function git(cwd: string, env: NodeJS.ProcessEnv, args: readonly string[]): Promise<Reply> {
  const all = ['--no-pager', ...settings.flatMap((setting) => ['-c', setting]), ...args];
  return new Promise((resolve) => {
    execFile('git', all, { cwd, env, ...bounds }, (error, stdout, stderr) => {
      const text = stdout.trim();
      if (error === null) resolve(text === '' ? {} : { text });
      else if (error.killed === true) resolve({ refusal: `no answer within ${timeout} ms` });
      else if (error.code === 'ENOENT' || nothing.test(stderr)) resolve({});
      // Of a repository of another owner, it has the command that trusts the owner.
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
