import { spawn } from 'node:child_process';
import type { run } from '../../src/command/main.js';

/** The environment of a command. */
type Io = Parameters<typeof run>[1];

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A built command as a process of its own. */
export async function outcomeOf(
  bin: string,
  args: readonly string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [bin, ...args], { cwd, env: { PATH: process.env['PATH'], ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => (stdout += String(bytes)));
  child.stderr.on('data', (bytes) => (stderr += String(bytes)));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

/** A command inside this process, for cases where starting one each time would take long. */
export const insideProcess =
  (run: (args: readonly string[], io: Io) => Promise<number>) =>
  async (args: readonly string[], io: Partial<Io> & { readonly tty?: boolean } = {}): Promise<Outcome> => {
    let stdout = '';
    let stderr = '';
    const isTTY = io.tty === true;
    const code = await run(args, {
      stdout: { write: (text) => (stdout += text), isTTY },
      stderr: { write: (text) => (stderr += text), isTTY },
      stdin: (async function* () {})(),
      cwd: process.cwd(),
      ...io,
      // git has to be found.
      env: { PATH: process.env['PATH'], ...io.env },
    });
    return { code, stdout, stderr };
  };
