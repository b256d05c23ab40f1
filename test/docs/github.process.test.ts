import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const github = join(root, '.github');
const names = (await readdir(join(github, 'workflows'))).toSorted();
const workflows = await Promise.all(
  names.map(async (name) => [name, await readFile(join(github, 'workflows', name), 'utf8')] as const),
);
const scratch = await mkdtemp(join(tmpdir(), 'lifesign-workflows-'));
afterAll(() => rm(scratch, { recursive: true }));

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

  test('a mistake in any of them would be found', async () => {
    const mistakes: readonly (readonly [string | RegExp, string])[] = [
      [/runs-on:/, 'run-on:'],
      [/id-token: write/, 'id-token: yes'],
      [/needs: \w+/, 'needs: nothing'],
      [/steps\.\w+\.outputs|github\.token/, 'nobody.knows.this'],
      [/timeout-minutes: \d+/, 'timeout-minutes: soon'],
      [/\n {4}steps:/, '\n     steps:'],
    ];
    const files: string[] = [];
    for (const [name, text] of workflows) {
      for (const [index, [right, wrong]] of mistakes.entries()) {
        const changed = text.replace(right, wrong);
        // Only those that publish ask for more rights or use what a step has found out.
        if (changed === text && name === 'test.yml') continue;
        expect(changed).not.toBe(text);
        const file = join(scratch, `${index}-${name}`);
        await writeFile(file, changed);
        files.push(file);
      }
    }
    const problems = await problemsIn(files);
    for (const file of files) expect(problems).toContain(file);
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

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly description?: string; readonly value?: string };
  readonly validations?: { readonly required: boolean };
}
interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Field[];
}

describe('issue templates', async () => {
  const folder = join(github, 'ISSUE_TEMPLATE');
  const read = async (name: string) => parse(await readFile(join(folder, name), 'utf8'), { strict: true });
  const forms = (await readdir(folder)).filter((name) => name !== 'config.yml');

  test.each(forms)('%s is a form as GitHub wants it', async (name) => {
    const { name: title, description, body, ...rest }: Form = await read(name);
    expect([typeof title, typeof description]).toEqual(['string', 'string']);
    expect(Object.keys(rest)).toEqual(['labels']);
    const ids = body.flatMap(({ id }) => id ?? []);
    expect(ids).toEqual([...new Set(ids)]);
    for (const { type, id, attributes, validations, ...other } of body) {
      expect(other).toEqual({});
      expect(['markdown', 'input', 'textarea']).toContain(type);
      if (type === 'markdown') expect([typeof attributes.value, validations]).toEqual(['string', undefined]);
      else {
        expect(id).toMatch(/^[\w-]+$/);
        expect(attributes.label).toMatch(/\S/);
        expect([undefined, true]).toContain(validations?.required);
      }
    }
  });

  test('a bug report asks for the version and the body of the heartbeat', async () => {
    const { body }: Form = await read('bug.yml');
    const asked = body
      .filter(({ validations }) => validations?.required)
      .map(({ attributes }) => attributes.description);
    expect(asked.join()).toContain('npx lifesign --version');
    expect(asked.join()).toContain('/__heartbeat__');
  });

  test('nothing is invented: no link leads to an address that is not there', async () => {
    expect(await read('config.yml')).toEqual({ blank_issues_enabled: false });
    const { updates } = parse(await readFile(join(github, 'dependabot.yml'), 'utf8'), { strict: true });
    expect(updates.map((each: { 'package-ecosystem': string }) => each['package-ecosystem'])).toEqual([
      'github-actions',
      'npm',
    ]);
  });
});
