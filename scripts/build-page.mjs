// Bundles the health page's script and style into src/page/content/assets.ts. `--check` only says whether that is needed.
import { readFile, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const target = new URL('../src/page/content/assets.ts', import.meta.url);
const browsers = ['chrome100', 'firefox100', 'safari15.4'];

const { outputFiles } = await build({
  entryPoints: ['live.ts', 'page.css'].map(
    (name) => new URL(`../src/page/browser/${name}`, import.meta.url).pathname,
  ),
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  charset: 'utf8',
  target: browsers,
  outdir: 'out',
});
const [script, style] = outputFiles.map(({ text }) => text.trim());
const source = `// Made from src/page/browser by scripts/build-page.mjs: edit there.
export const script: string = ${JSON.stringify(script)};
export const style: string = ${JSON.stringify(style)};
`;

const present = await readFile(target, 'utf8').catch(() => '');
if (present !== source) {
  if (process.argv.includes('--check')) {
    console.error('src/page/content/assets.ts is out of date: run node scripts/build-page.mjs');
    process.exitCode = 1;
  } else {
    await writeFile(target, source);
  }
}
