// Installs the peers, and lifesign as it would be published: a link to the checkout would find the checkout's frameworks.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { install } from '../scripts/install.mjs';

const root = join(import.meta.dirname, '..');
const modules = join(import.meta.dirname, 'node_modules');

install(import.meta.dirname);
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
