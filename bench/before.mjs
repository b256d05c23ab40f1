// Builds another commit of lifesign beside this one, so that both can be measured in the same run.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** The files that a change of speed comes from. */
const sources = ['src', 'scripts/build.mjs'];

const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** What a command of git prints, or undefined if it fails. */
function tried(...args) {
  try {
    return git(...args);
  } catch {
    return undefined;
  }
}

const commitOf = (name) => tried('rev-parse', '--verify', '--quiet', `${name}^{commit}`);

/** Whether the work tree has other sources than a commit, new files included. */
const differs = (commit) =>
  git('diff', '--name-only', commit, '--', ...sources) !== '' ||
  git('ls-files', '--others', '--exclude-standard', '--', ...sources) !== '';

/**
 * The commit to compare with: where the branch left main. If the work tree has the same sources, the commit before these were changed
 * last.
 */
function usualCommit() {
  const main = commitOf('main') ?? commitOf('origin/main');
  const base = (main && tried('merge-base', 'HEAD', main)) ?? git('rev-parse', 'HEAD');
  if (differs(base)) return base;
  const before = commitOf(`${git('log', '-1', '--format=%H', base, '--', ...sources)}^`);
  if (before === undefined)
    throw new Error(
      'There is no earlier commit to compare with. Name one: --against <commit, branch or tag>.',
    );
  return before;
}

/**
 * Builds a commit into bench/node_modules/.before, beside a copy of the servers: they find their frameworks where the servers of this
 * state find them. Returns the folder, and the commit as people read it.
 */
export function buildBefore(name) {
  const commit = name === undefined ? usualCommit() : commitOf(name);
  if (commit === undefined)
    throw new Error(`--against: there is no commit, branch or tag "${name}" in this clone.`);
  const home = join(import.meta.dirname, 'node_modules/.before');
  const target = join(home, 'node_modules/lifesign');
  const scratch = mkdtempSync(join(tmpdir(), 'lifesign-before-'));
  try {
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', scratch], { input: archive });
    symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'));
    execFileSync(process.execPath, ['scripts/build.mjs', '--no-types'], { cwd: scratch });
    rmSync(home, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    for (const file of ['package.json', 'dist'])
      cpSync(join(scratch, file), join(target, file), { recursive: true });
  } finally {
    rmSync(scratch, { recursive: true });
  }
  for (const file of ['server.mjs', 'busy.mjs', 'watchdogs.mjs', 'servers'])
    cpSync(join(import.meta.dirname, file), join(home, file), { recursive: true });
  return { home, commit: git('log', '-1', '--format=%h (%s)', commit) };
}
