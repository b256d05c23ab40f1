import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const script = join(import.meta.dirname, '../../scripts/release.mjs');
const repository = { type: 'git', url: 'git+https://git.example/acme/lifesign.git' };

/** A checkout that can be released, and how to spoil it. */
function checkout(version = '1.2.0', manifest: object = {}, heading = `## ${version}, 1 May`) {
  const root = mkdtempSync(join(tmpdir(), 'lifesign-release-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  mkdirSync(join(root, 'cli'));
  writeFileSync(join(root, 'package.json'), JSON.stringify({ version, repository, ...manifest }));
  writeFileSync(join(root, 'cli/package.json'), JSON.stringify({ version: '1.2.0', repository }));
  writeFileSync(join(root, 'CHANGELOG.md'), `# Changelog\n\n${heading}\n`);
  git('init', '--quiet', '--initial-branch', 'main');
  const commit = (text: string) => {
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', text);
  };
  commit('one');
  const check = (...args: string[]) => {
    const env = { ...process.env, RELEASE_ROOT: root };
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
      env,
      encoding: 'utf8',
    });
    return { status, said: stdout + stderr };
  };
  return { root, git, commit, check };
}

test('a checkout that can be released, with the tag of npm version or without it', () => {
  const { git, check } = checkout();
  const ready = { status: 0, said: 'Ready: v1.2.0. contributing/releasing.md has the next steps.\n' };
  expect(check('--check')).toEqual(ready);
  git('tag', 'v1.2.0');
  expect(check('--check')).toEqual(ready);
});

test.each([
  ['no repository', checkoutOf({ manifest: { repository: undefined } }), 'need "repository"'],
  ['a repository that is no address', checkoutOf({ manifest: { repository: 'acme' } }), 'need "repository"'],
  ['two versions', checkoutOf({ version: '1.3.0' }), 'lifesign has version 1.3.0, lifesign-cli 1.2.0'],
  ['no heading', checkoutOf({ heading: '## 1.1.0' }), 'no heading "## 1.2.0"'],
])('%s is refused, with what to do', (_what, make, text) => {
  const { check } = make();
  const { status, said } = check('--check');
  expect([status, said.split('\n').length]).toEqual([1, 2]);
  expect(said).toContain(text);
});

function checkoutOf({
  version,
  manifest,
  heading,
}: {
  version?: string;
  manifest?: object;
  heading?: string;
}) {
  return () => checkout(version, manifest, heading);
}

test('changes, another branch and a tag elsewhere are refused, all in one run', () => {
  const { root, git, commit, check } = checkout();
  git('tag', 'v1.2.0');
  commit('two');
  git('switch', '--quiet', '-c', 'other');
  writeFileSync(join(root, 'new'), '');
  const { status, said } = check('--check');
  expect(status).toBe(1);
  expect(said).toContain('not committed');
  expect(said).toContain('from main');
  expect(said).toContain('names another commit');
});

test('without --check it does nothing', () => {
  expect(checkout().check()).toMatchObject({ status: 2, said: expect.stringContaining('It only checks') });
});
