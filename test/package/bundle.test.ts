import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { rolldown } from 'rolldown';
import { expect, inject, test } from 'vitest';

const cwd = inject('consumer');
const entry = join(cwd, 'levels-entry.mjs');
writeFileSync(
  entry,
  "import { levels, statusOf } from 'lifesign';\nconsole.log(levels.warning, statusOf(40));\n",
);

const bundlers: Record<string, () => string | Promise<string>> = {
  esbuild: () =>
    buildSync({ entryPoints: [entry], bundle: true, format: 'esm', platform: 'node', write: false })
      .outputFiles[0]?.text ?? '',
  rolldown: async () => {
    const built = await rolldown({ input: entry, platform: 'node', external: [/^node:/] });
    const { output } = await built.generate({ format: 'esm' });
    await built.close();
    // What is loaded: chunks that only an import() could ask for lie beside it, and nothing here asks.
    const chunks = output.filter((part) => part.type === 'chunk');
    const loaded = chunks.filter(({ isEntry }) => isEntry);
    expect(loaded.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])).toEqual([]);
    return loaded.map(({ code }) => code).join('');
  },
};

// Not minified: the whole core would be over 100 KB.
test.each(Object.keys(bundlers))('%s takes the levels without the rest of the package', async (name) => {
  const code = (await bundlers[name]?.()) ?? '';
  expect(code.length).toBeLessThan(4096);
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })).toBe(
    '30 error\n',
  );
});
