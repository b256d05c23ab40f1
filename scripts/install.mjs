// Installs a package of its own that only one suite needs, unless it is there already: `node scripts/install.mjs site`. As a workspace it would
// keep every `npm ci` waiting.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const packagesIn = (...path) => JSON.parse(readFileSync(join(...path), 'utf8')).packages;

/** Whether everything is there already, in the versions of the lock file. */
function isCurrent(folder) {
  try {
    const installed = packagesIn(folder, 'node_modules/.package-lock.json');
    return Object.entries(packagesIn(folder, 'package-lock.json')).every(
      ([path, { optional, version }]) => path === '' || optional || installed[path]?.version === version,
    );
  } catch {
    return false;
  }
}

/** Milliseconds after which a lock was left behind by a process that has ended. */
const maxLocked = 300_000;

/** Whether this process has the lock now. */
function hasTaken(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const { mtimeMs = Infinity } = statSync(lock, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > maxLocked) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

export function install(folder) {
  if (isCurrent(folder)) return;
  // Tests that run side by side may want the same packages.
  const lock = join(folder, '.tmp');
  while (!hasTaken(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  try {
    if (isCurrent(folder)) return;
    console.log(`Installing the packages of ${folder}`);
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], { cwd: folder, stdio: 'inherit' });
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  for (const folder of process.argv.slice(2)) install(resolve(folder));
}
