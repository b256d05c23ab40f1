import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const github = join(root, '.github');
const names = (await readdir(join(github, 'workflows'))).toSorted();
const workflows = await Promise.all(
  names.map(async (name) => [name, await readFile(join(github, 'workflows', name), 'utf8')] as const),
);

/** What GitHub's own parser finds wrong, a line each. */
function problemsIn(files: readonly string[]): Promise<string> {
  const args = ['--import', 'tsx', join(root, 'scripts/check-workflows.mjs'), ...files];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root }, (_error, _stdout, stderr) => resolve(stderr));
  });
}

describe('workflows', () => {
  test('GitHub accepts them', async () => {
    expect(names).toEqual(['pages.yml', 'publish.yml', 'test.yml']);
    expect(await problemsIn(names.map((name) => join(github, 'workflows', name)))).toBe('');
  });

  test.each(workflows)(
    '%s: actions are pinned to a commit, rights are the least, what it runs is there',
    async (_name, text) => {
      const uses = text.match(/uses: .*/g) ?? [];
      expect(uses.length).toBeGreaterThan(0);
      for (const use of uses) expect(use).toMatch(/^uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      const { permissions, jobs } = parse(text);
      expect(permissions).toEqual({ contents: 'read' });
      for (const job of Object.values<{ 'timeout-minutes'?: number }>(jobs))
        expect(job['timeout-minutes']).toBeGreaterThan(0);
      expect(text).not.toContain('secrets.');
      const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
      for (const [, script = ''] of text.matchAll(/npm run ([\w:-]+)/g))
        expect(Object.keys(scripts)).toContain(script);
    },
  );

  test('the package is published with provenance, after the tests, by no token', () => {
    const [, text = ''] = workflows.find(([name]) => name === 'publish.yml') ?? [];
    const { publish, test: tests } = parse(text).jobs;
    expect(publish.permissions).toEqual({ contents: 'write', 'id-token': 'write' });
    expect(publish.needs).toBe('test');
    expect(tests.steps.map(({ run }: { run?: string }) => run)).toEqual([undefined, 'npm ci', 'npm test']);
    expect(text).toContain('npm publish --provenance');
    expect(text).not.toMatch(/NODE_AUTH_TOKEN|registry-url/);
  });
});
