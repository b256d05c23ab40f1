import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const sources: Readonly<Record<string, string>> = {
  lifesign: 'src/index.ts',
  'lifesign/fetch': 'src/frameworks/fetch.ts',
  'lifesign/node': 'src/frameworks/node.ts',
  'lifesign/drain': 'src/http/drain/drain.ts',
  'lifesign/watchdog': 'src/watchdog/index.ts',
  'lifesign/worker': 'src/worker/index.ts',
};

/** Snippets that are followed by what they print. */
async function snippetsOf(page: string): Promise<readonly (readonly [string, string])[]> {
  const text = await readFile(join(root, 'docs', page), 'utf8');
  const pairs = text.matchAll(/```js\n((?:(?!```)[^])*)```\n\n```text\n((?:(?!```)[^])*)```/g);
  return [...pairs].map(([, code = '', output = '']) => [code, output] as const);
}

/** Runs a snippet as a user would, `lifesign` being this checkout. */
async function run(code: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'lifesign-docs-'));
  try {
    const file = join(directory, 'snippet.mts');
    const resolved = code.replaceAll(/'(lifesign(?:\/\w+)?)'/g, (whole, name: string) => {
      const source = sources[name];
      return source === undefined ? whole : `'${pathToFileURL(join(root, source)).href}'`;
    });
    await writeFile(file, resolved);
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', file], { cwd: root });
    return stdout;
  } finally {
    await rm(directory, { recursive: true });
  }
}

describe.each([
  'deployment.md',
  'metrics.md',
  'own-framework.md',
  'reliability.md',
  'security.md',
  'watchdog.md',
  'workers.md',
])('docs/%s', (page) => {
  test('each snippet prints what the page says', { timeout: 60_000 }, async () => {
    const snippets = await snippetsOf(page);
    expect(snippets.length).toBeGreaterThan(0);
    for (const [code, output] of snippets) expect(await run(code)).toBe(output);
  });
});
