import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { chosen } from '../whole.js';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

const typescript = `
import { inPackage } from 'some-package';

interface Row {
  readonly cells: readonly string[];
}

export function parseCsv(ms: number): readonly Row[] {
  inPackage(ms);
  return [];
}
`;

/** Runs a program that blocks in TypeScript, compiled with its map, inside a package; the first line of the watchdog that has a stack. */
function run(
  sourcemap: 'external' | 'inline',
  form: 'esm' | 'cjs' = 'esm',
  change: (map: string) => string = (map) => map,
): Record<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'lifesign-maps-'));
  directories.push(directory);
  const { code, map } = transformSync(typescript, {
    loader: 'ts',
    sourcemap,
    sourcefile: 'report.ts',
    minify: true,
  });
  mkdirSync(join(directory, 'node_modules/some-package'), { recursive: true });
  writeFileSync(
    join(directory, 'node_modules/some-package/package.json'),
    '{"type":"module","exports":"./index.js"}',
  );
  writeFileSync(
    join(directory, 'node_modules/some-package/index.js'),
    'export function inPackage(ms) { for (const end = Date.now() + ms; Date.now() < end; ); }',
  );
  writeFileSync(
    join(directory, 'report.mjs'),
    sourcemap === 'external' ? `${code}\n//# sourceMappingURL=report.mjs.map\n` : code,
  );
  if (sourcemap === 'external') writeFileSync(join(directory, 'report.mjs.map'), change(map));
  const built = join(inject('built'), 'dist', form === 'esm' ? '' : 'cjs');
  writeFileSync(
    join(directory, 'main.mjs'),
    `import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { parseCsv } from './report.mjs';
const require = createRequire(import.meta.url);
const load = (file) => ${form === 'esm' ? 'import' : 'require'}(${JSON.stringify(`${built}/`)} + file);
const { Health } = await load('frameworks/node.js');
const health = new Health(createServer(), { watchdog: { port: 0, busyAfter: 200 } });
health.once('loopFreed', () => setTimeout(() => health.close(), 100));
const awake = setInterval(() => {}, 1000);
health.once('loopFreed', () => clearInterval(awake));
setTimeout(function handleWithSecret_password() { parseCsv(4000); }, 1000);
`,
  );
  const { stdout } = spawnSync(process.execPath, [join(directory, 'main.mjs')], {
    encoding: 'utf8',
    timeout: 50_000,
  });
  const blocked = stdout
    .split('\n')
    .filter((text) => text.includes('has been blocked'))
    .map((text): { Fields?: Record<string, string> } => JSON.parse(text));
  // On a busy machine a thread that answers late is taken for native code at first.
  return blocked.find(({ Fields }) => Fields?.['culprit'] !== undefined)?.Fields ?? {};
}

describe('a stack', { timeout: 60_000 }, () => {
  it.each(chosen(['external', 'inline'] as const, 'external'))(
    'leads to the source by a map that is %s',
    (sourcemap) => {
      const { culprit, stack } = run(sourcemap);
      expect(culprit).toMatch(/ ?\(?report\.ts:9\)?$/);
      expect(stack).toMatch(/report\.ts:9:\d+\)?\n/);
      expect(stack).toMatch(/node_modules\/some-package\/index\.js:1:\d+\) \[node_modules\]/);
      expect(stack).toMatch(/\(node:internal\/timers:\d+:\d+\) \[node\]/);
    },
  );

  it('leads to the compiled file if the map would fill the memory of the thread', () => {
    const { culprit } = run('external', 'esm', (text) => {
      const map: { mappings: string } = JSON.parse(text);
      return JSON.stringify({ ...map, mappings: `${map.mappings};${'CAAC,'.repeat(1_600_000)}CAAC` });
    });
    expect(culprit).toMatch(/report\.mjs:\d+\)?$/);
  });
});
