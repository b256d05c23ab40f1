import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './snippets.js';
import { type Running, start } from './start.js';

const run = promisify(execFile);
type Variables = Readonly<Record<string, string>>;

/** Starts a TypeScript program that listens on `PORT`. */
export function startTypeScript(directory: string, entry: string, variables: Variables): Promise<Running> {
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return start(['env', ...settings, process.execPath, '--import', 'tsx', entry], directory);
}

/** Runs a program of Node to its end and gives what it printed. */
export async function runNode(directory: string, args: readonly string[], variables: Variables = {}) {
  const { stdout } = await run(process.execPath, args, {
    cwd: directory,
    env: { ...process.env, ...variables },
  });
  return stdout;
}

/** Throws what the compiler says where a directory with a `tsconfig.json` does not compile. */
export async function compile(directory: string): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', directory, '--checkers', '1']).catch(
    ({ stdout }: { readonly stdout: string }) => {
      throw new Error(stdout);
    },
  );
}

/** Status and JSON of one of its answers. */
export async function json(running: Running, path: string) {
  const reply = await fetch(running.origin + path);
  return { status: reply.status, body: (await reply.json()) as unknown };
}
