import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Io } from '../../src/command/io.js';
import { run } from '../src/main.js';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built `lifesign-cli` command as a process of its own. */
export async function lifesignCli(
  args: readonly string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Outcome> {
  const bin = join(inject('builtCli'), 'dist/bin.js');
  const child = spawn(process.execPath, [bin, ...args], { cwd, env: { PATH: process.env['PATH'], ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (bytes) => (stdout += String(bytes)));
  child.stderr.on('data', (bytes) => (stderr += String(bytes)));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

/** The command inside this process, for cases where starting one each time would take long. */
export async function inProcess(
  args: readonly string[],
  io: Partial<Io> & { readonly tty?: boolean } = {},
): Promise<Outcome> {
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
}
