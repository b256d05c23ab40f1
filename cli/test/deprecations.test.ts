import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeOf } from '../../src/core/options/deprecation.js';
import { renamed } from '../../src/core/options/renamed.js';
import { oldVariables } from '../../src/core/options/read-option.js';
import { renamedExports } from '../src/deprecations/find.js';
import { inProcess } from './run.js';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'lifesign-deprecations-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function listed(files: Readonly<Record<string, string>>, ...args: readonly string[]) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const { code, stdout, stderr } = await inProcess(['deprecations', '--json', ...args], { cwd });
  expect(stderr).toBe('');
  const { uses } = JSON.parse(stdout) as { uses: { file: string; line: number; old: string; now: string }[] };
  expect(code).toBe(uses.length === 0 ? 0 : 1);
  return uses.map(({ file, line, old, now }) => `${file}:${line} ${old} ${now}`);
}

const importing = "import { Health } from 'lifesign/express';\n";

test('every old option is found in code, by its line', async () => {
  for (const path of Object.keys(renamed)) {
    const name = path.replace(/^\w+\./, '');
    const [, now] = renamed[path as keyof typeof renamed];
    const used = [`app.ts:2 ${name} ${now.replace(/^(?:probes|check|drainOnSignals)\./, '')}`];
    for (const text of [
      `new Health(app, { ${name}: 1 });`,
      `new Health(app, { ${name} });`,
      `const options = { "${name}" : 1 };`,
      `health.options.${name}`,
    ]) {
      expect(await listed({ 'app.ts': importing + text })).toEqual(used);
    }
    for (const text of [`const my${name} = 1;`, `site.${name}(1)`, `// ${name}s: many`]) {
      expect(await listed({ 'app.ts': importing + text })).toEqual([]);
    }
    // A file that does not use lifesign has names of its own.
    expect(await listed({ 'app.ts': `route({ ${name}: 1 });` })).toEqual([]);
  }
});

test('every old variable is found wherever it is set', async () => {
  expect(oldVariables.size).toBeGreaterThan(2);
  for (const name of oldVariables.keys()) {
    const found = await listed({
      '.env': `A=1\n${name}=3\n`,
      '.env.production': `export ${name}=3`,
      'compose.yaml': `services:\n  app:\n    environment:\n      - ${name}=3\n`,
      'deploy/app.yml': `env:\n  - { name: ${name}, value: "3" }\n`,
      Dockerfile: `ENV ${name}=3\n`,
      'src/app.js': `process.env.${name} = 'x';`,
      'node_modules/other/index.js': `process.env.${name}`,
      'README.md': name,
      'mine.yaml': `MY_${name}: 1\n${name}_TOO: 1\n`,
    });
    expect(found.map((use) => use.split(' ')[0])).toEqual([
      '.env:2',
      '.env.production:1',
      'compose.yaml:4',
      'deploy/app.yml:2',
      'Dockerfile:1',
      'src/app.js:1',
    ]);
    await rm(cwd, { recursive: true });
  }
});

test('types and the options of checks in a variable are found', async () => {
  for (const [name, [, now]] of Object.entries(renamedExports)) {
    const text = `import type { ${name} } from 'lifesign/express';`;
    expect(await listed({ 'app.mts': text })).toEqual([`app.mts:1 ${name} ${now}`]);
  }
  await rm(join(cwd, 'app.mts'));
  const env = `HEALTH_CHECK_OPTIONS='{"mail":{"failAfter":3}}'\nOTHER='{"failAfter":3}'`;
  expect(await listed({ '.env': env })).toEqual(['.env:1 failAfter failureThreshold']);
});

test('calls that give the server before the Health are found, also over lines', async () => {
  const call = async (text: string) => listed({ 'app.ts': `import 'lifesign/drain';\n${text}` });
  const found = ['app.ts:2 drainOnSignals(server, health) drainOnSignals(health, { server })'];
  for (const text of [
    'drainOnSignals(server, health);',
    'const drain = drainOnSignals(app.listen(listenOptions()), hc, { onShutdown: [() => end(1, 2)] });',
    'drainOnSignals(\n  app.server,\n  health,\n  { delay: 5 },\n);',
    'drainOnSignals(server, health, options);',
  ]) {
    expect(await call(text)).toEqual(found);
  }
  for (const text of [
    'drainOnSignals(health, { server });',
    'drainOnSignals(hc, { server, onShutdown: [() => end(1, 2)] });',
    'drainOnSignals(\n  health,\n  {\n    server,\n  },\n);',
    'drainOnSignals(this.health, options);',
    "import { drainOnSignals } from 'lifesign/drain';",
  ]) {
    expect(await call(text)).toEqual([]);
  }
  expect(await listed({ 'app.ts': "import 'lifesign/worker';\ndrainOnSignals(hc, options);" })).toEqual([]);
});

test('every code of the docs and of the types is found in a project that uses each old name once', async () => {
  const page = await readFile(new URL('../../docs/deprecations.md', import.meta.url), 'utf8');
  const rows = Array.from(
    page.matchAll(/^\| `([^`]+)`.* \| (LIFESIGN_DEP\d+) \|$/gm),
    ([, old = '', code = '']) => {
      const name = old.replace(/^\w+\./, '');
      const use = /^[A-Z_]+$/.test(old)
        ? `process.env.${old}`
        : /\(/.test(old)
          ? `${old};`
          : `const a = { ${name}: 1 };`;
      return { code, use };
    },
  );
  expect(rows.length).toBeGreaterThan(18);
  await writeFile(
    join(cwd, 'app.ts'),
    `import 'lifesign/drain'; ${importing}` + rows.map(({ use }) => use).join('\n'),
  );
  const { stdout } = await inProcess(['deprecations', '--json'], { cwd });
  const { uses } = JSON.parse(stdout) as { uses: { line: number; code: string }[] };
  const found = new Map(uses.map(({ line, code }) => [line, code]));
  expect(rows.map((_, index) => found.get(index + 2))).toEqual(rows.map(({ code }) => code));

  const codes = new Set(rows.map(({ code }) => code));
  expect([...codes].toSorted()).toEqual(Array.from(codes, (_, index) => codeOf(index + 1)));
  const known = new Set(Object.values(renamed).map(([code]) => codeOf(code)));
  expect([...known].filter((code) => !codes.has(code))).toEqual([]);
});

test('for people it says what to write, or that there is nothing', async () => {
  await writeFile(join(cwd, 'app.js'), `${importing}new Health(app, { page: true, pagePath: '/ops' });`);
  expect(await inProcess(['deprecations'], { cwd })).toEqual({
    code: 1,
    stderr: '',
    stdout: 'app.js:2  pagePath is now page.path  LIFESIGN_DEP001\n1 file: 1 old name\n',
  });
  expect(await inProcess(['deprecations', '-'], { cwd })).toMatchObject({
    code: 0,
    stdout: '1 file: no old names\n',
  });
  expect(await inProcess(['deprecations', 'nowhere'], { cwd })).toMatchObject({ code: 2, stdout: '' });
});
