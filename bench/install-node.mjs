// Versions of Node from npm's package `node`, each in its own folder below bench/node_modules/.nodes.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const directory = join(import.meta.dirname, 'node_modules/.nodes');

/** The path of the newest Node of a major version, installed if it is not there, and its version. */
export function installNode(major) {
  const own = process.versions.node;
  if (own.split('.')[0] === major) return { path: process.execPath, version: `v${own}` };
  const home = join(directory, major);
  const path = join(home, 'node_modules/node/bin/node');
  if (!existsSync(path)) {
    console.log(`Installing Node ${major}`);
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'package.json'), '{"private":true}\n');
    const args = ['install', '--no-audit', '--no-fund', '--silent', `node@${major}`];
    execFileSync('npm', args, { cwd: home, stdio: 'inherit' });
  }
  return { path, version: execFileSync(path, ['--version'], { encoding: 'utf8' }).trim() };
}
