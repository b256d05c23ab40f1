import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const version = '12.11.1';
const root = join(import.meta.dirname, '../../..');
/** Where the tests, TypeORM, Knex and Lucid look for it. */
const place = join(root, 'node_modules/better-sqlite3');
/** Kept for the next run: it is compiled for minutes where there is no binary for the platform. */
const kept = join(tmpdir(), 'lifesign-projects', `better-sqlite3-${version}-${process.version}`);
const log = join(root, 'node_modules/.better-sqlite3.log');

/**
 * Installs better-sqlite3 while other tests run: as a dependency it would keep `npm ci` waiting. Its tests come after
 * the others, and wait for it.
 */
export default function setup(): (() => void) | undefined {
  rmSync(log, { force: true });
  if (existsSync(place)) return undefined;
  if (existsSync(kept)) {
    link();
    return undefined;
  }
  const directory = `${kept}-${process.pid}`;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{"private":true}');
  const output = openSync(log, 'w');
  // As a process of low priority, and in a group of its own: the compilers end with it. What is compiled need not be fast.
  const env = { ...process.env, CFLAGS: '-O0', CXXFLAGS: '-O0' };
  const command = ['-n', '19', 'npm', 'install', '--no-audit', '--no-fund', `better-sqlite3@${version}`];
  const child = spawn('nice', command, {
    cwd: directory,
    env,
    detached: true,
    stdio: ['ignore', output, output],
  });
  child.on('exit', (code) => {
    if (code !== 0) return writeFileSync(log, `${readFileSync(log, 'utf8')}\nended with ${code}`);
    if (!existsSync(kept)) renameSync(directory, kept);
    link();
  });
  return () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid);
    rmSync(directory, { recursive: true, force: true });
  };
}

function link(): void {
  rmSync(place, { force: true });
  symlinkSync(join(kept, 'node_modules/better-sqlite3'), place);
}

/** Waits for it; rejects with what npm said where it cannot be had. */
export async function installed(): Promise<void> {
  while (!existsSync(place)) {
    const said = existsSync(log) ? readFileSync(log, 'utf8') : 'it is not being installed';
    if (/\nended with|^it is not/.test(said))
      throw new Error(`better-sqlite3 is missing: ${said.slice(-2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
