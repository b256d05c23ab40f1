// The watchdog's thread as one text: an application that is bundled into one file needs no second one.
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const cwd = join(import.meta.dirname, '..');
const main = 'src/watchdog/thread/main.ts';

/** While developing: at once. */
export function threadCode() {
  const { outputFiles } = buildSync({
    absWorkingDir: cwd,
    entryPoints: [main],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
  });
  return outputFiles[0].text;
}

/** As it is published: without comments and with short names, because it is a text that no one reads; on its own lines, as Node prints the one that threw. */
export async function publishedThreadCode() {
  // Only here: an application that is developed would load it with its first watchdog.
  const { rolldown } = await import('rolldown');
  const built = await rolldown({
    cwd,
    input: main,
    platform: 'node',
    resolve: { extensionAlias: { '.js': ['.ts'] } },
    transform: { target: 'es2022' },
  });
  const { output } = await built.generate({
    format: 'cjs',
    comments: false,
    minify: { compress: false, mangle: true, codegen: { removeWhitespace: false } },
  });
  await built.close();
  return output[0].code;
}
