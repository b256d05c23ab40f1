// The file of a worker: see docs/workers.md.

/** Options of the probe that ask a server, and mean nothing for a file. */
const others = ['path', 'port', 'socket', 'insecure'] as const;

/** The arguments of `lifesign probe`. */
interface Given {
  readonly file?: string | undefined;
  readonly path?: string | undefined;
  readonly port?: string | undefined;
  readonly socket?: string | undefined;
  readonly insecure?: boolean | undefined;
  readonly 'max-age'?: string | undefined;
}

/** The file to look at: the one given, or `HEALTH_FILE` if nothing else is asked for. Throws if both are. */
export function fileOf(given: Given, url: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const other = others.find((name) => given[name] !== undefined && given[name] !== false);
  if (given.file === undefined) {
    const { HEALTH_FILE: usual, HEALTH_SOCKET: socket } = env;
    if (usual && !socket && url === undefined && other === undefined) return usual;
    if (given['max-age'] === undefined) return undefined;
    throw new Error('--max-age applies to a file; add --file FILE');
  }
  if (given.file === '') throw new Error('--file is empty; it must be the path of a file');
  if (url !== undefined) throw new Error('--file and a URL were given; write one of them');
  if (other !== undefined) throw new Error(`--file and --${other} were given; write one of them`);
  return given.file;
}

/** Whether a file is new enough, and the line that says so. */
export function judgeFile(
  path: string,
  maxAge: number,
  now: number,
): { readonly ok: boolean; readonly line: string } {
  const { statSync } = process.getBuiltinModule('node:fs');
  try {
    const found = statSync(path);
    if (!found.isFile())
      return { ok: false, line: `${path} is ${found.isDirectory() ? 'a directory' : 'not a regular file'}` };
    const age = now - found.mtimeMs;
    const said = `${path} was touched ${seconds(Math.abs(age))} ${age < 0 ? 'in the future' : 'ago'}`;
    // A clock that was set back must not keep a dead worker alive.
    if (Math.abs(age) <= maxAge) return { ok: true, line: said };
    const why = age < 0 ? 'the clock was set back' : 'the worker is unhealthy or stuck';
    return { ok: false, line: `${said}, more than ${seconds(maxAge)}: ${why}` };
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
    const missing = code === 'ENOENT' || code === 'ENOTDIR';
    return {
      ok: false,
      line: `${path} ${missing ? 'does not exist: the worker has not been healthy yet, or has exited' : `cannot be read (${code})`}`,
    };
  }
}

const seconds = (ms: number) => (ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`);
