import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const app = fileURLToPath(new URL('app.ts', import.meta.url));
/** The version of a package that is installed here. */
export const versionOf = (name: string): string => {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8'),
  );
  return manifest.version;
};

/** A Node that MikroORM 7 takes, from the registry if ours is too old. */
async function nodeOf24(): Promise<string> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 17)) return process.execPath;
  const args = ['--yes', '--package', 'node@24', '--', 'node', '-p', 'process.execPath'];
  return (await promisify(execFile)('npx', args)).stdout.trim();
}
let node: Promise<string> | undefined;

/** The application, whose types this Node strips by itself. */
export async function start(url: string, folder: string, ...more: readonly string[]) {
  const args = ['--no-warnings', '--experimental-strip-types', app, inject('built'), url, folder, ...more];
  const child = spawn(await (node ??= nodeOf24()), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [chunk] = await once(child.stdout, 'data');
  const base = `http://127.0.0.1:${String(chunk).trim()}`;
  const beat = async (): Promise<Readonly<Record<string, readonly string[]>>> => {
    const answer = await fetch(`${base}/__heartbeat__`);
    const body: { details: Record<string, { messages: object }> } = JSON.parse(await answer.text());
    return Object.fromEntries(
      Object.entries(body.details).map(([name, { messages }]) => [name, Object.keys(messages)]),
    );
  };
  return {
    beat,
    apply: () => fetch(`${base}/apply`),
    exhaust: () => fetch(`${base}/exhaust`),
    close: () => void child.kill('SIGKILL'),
  };
}
