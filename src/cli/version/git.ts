import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Identity } from './providers.js';

/** What the git repository around a directory says; empty without one, or without git. */
export async function fromGit(cwd: string): Promise<Identity> {
  const [commit, version, source] = await Promise.all([
    git(cwd, 'rev-parse', '--verify', 'HEAD'),
    git(cwd, 'describe', '--tags', '--exact-match', 'HEAD'),
    git(cwd, 'remote', 'get-url', 'origin'),
  ]);
  return { commit, version, source };
}

/** The version in the package.json of a directory. */
export async function fromPackage(cwd: string): Promise<Identity> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
    if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return {};
    return typeof manifest.version === 'string' ? { version: manifest.version } : {};
  } catch {
    return {};
  }
}

function git(cwd: string, ...args: readonly string[]): Promise<string | undefined> {
  // An image build often runs as another user than the one who owns the checkout.
  const trusting = ['-c', 'safe.directory=*'];
  return new Promise((resolve) => {
    execFile('git', [...trusting, ...args], { cwd, timeout: 10_000 }, (error, stdout) => {
      const line = stdout.trim();
      resolve(error === null && line !== '' ? line : undefined);
    });
  });
}
