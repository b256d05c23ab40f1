// Installs the peers, and lifesign as it would be published: a link to the checkout would find the checkout's frameworks.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const modules = join(import.meta.dirname, 'node_modules');
const hidden = join(modules, '.package-lock.json');

/** Whether the peers are there already, in the versions of the lock file. */
function isCurrent() {
  try {
    const installed = JSON.parse(readFileSync(hidden, 'utf8')).packages;
    const locked = Object.entries(
      JSON.parse(readFileSync(join(import.meta.dirname, 'package-lock.json'), 'utf8')).packages,
    );
    return locked.every(
      ([path, { optional, version }]) => path === '' || optional || installed[path]?.version === version,
    );
  } catch {
    return false;
  }
}

if (!isCurrent()) {
  console.log('Installing the peers');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], {
    cwd: import.meta.dirname,
    stdio: 'inherit',
  });
}
const scratch = mkdtempSync(join(tmpdir(), 'lifesign-bench-'));
const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch];
const printed = execFileSync('npm', pack, {
  cwd: root,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
});
const [{ filename }] = JSON.parse(printed.slice(printed.indexOf('[')));
const target = join(modules, 'lifesign');
rmSync(target, { recursive: true, force: true });
mkdirSync(target);
execFileSync('tar', ['-xzf', join(scratch, filename), '--strip-components=1', '-C', target]);
rmSync(scratch, { recursive: true });
