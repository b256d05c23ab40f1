import { join, relative } from 'node:path';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { expect, test } from 'vitest';
import { entries } from '../../scripts/entries.mjs';

// Those of ES modules export these.
const declared = join(import.meta.dirname, '../../dist/cjs');

/** A declaration file without its comments: what a signature says, and nothing else. */
function signatures(text: string): string {
  const code = text.replaceAll(/\/\*\*[\s\S]*?\*\/\s*|^\s*\/\/.*$|^ +#private;$/gm, '').trim();
  return code.replaceAll(/\n\s*\n+/g, '\n');
}

/** Makes values of types: files with `export * as checks` import the entry instead. */
const namespaceApart = {
  name: 'namespace-apart',
  resolveId: (source: string, importer?: string) =>
    importer !== undefined && /(?:^|\/)checks\/index\.js$/.test(source)
      ? { id: 'lifesign/checks', external: true }
      : undefined,
};

test('the public types are those of the report: a changed signature is a deliberate act', async () => {
  const own = Object.entries(entries).filter(([name]) => !name.startsWith('lifesign-cli'));
  const names = own.map(([, file]) => file.replace(/^src\/(.*)\.ts$/, '$1'));
  expect(names.length).toBeGreaterThan(15);
  const built = await rollup({
    input: Object.fromEntries(names.map((name) => [name, join(declared, `${name}.d.ts`)])),
    external: (id) => !/^[./]/.test(id),
    plugins: [namespaceApart, dts()],
    onwarn() {},
  });
  // What no entry shows is left out.
  const { output } = await built.generate({
    entryFileNames: '[name].d.ts',
    chunkFileNames: ({ name }) => `types/${name.replace(/\.d$/, '')}.d.ts`,
    manualChunks: (id) =>
      /^(?:core|checks|profiles)(?=\/)(?!\/index\.)/.exec(relative(declared, id).replaceAll('\\', '/'))?.[0],
    hoistTransitiveImports: false,
    minifyInternalExports: false,
  });
  const files = output.filter((part) => part.type === 'chunk');
  const parts = files.map(({ fileName, code }) => `// ${fileName}\n${signatures(code)}\n`);
  // After a change that is meant: npx vitest run --project package test/package/api.test.ts -u
  await expect(parts.toSorted().join('\n')).toMatchFileSnapshot('api-report.txt');
});
