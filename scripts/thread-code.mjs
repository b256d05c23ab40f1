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

/** As it is published: minified, because no file has it and no line of it is printed. */
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
  const { output } = await built.generate({ format: 'cjs', comments: false, minify: true });
  await built.close();
  return output[0].code;
}
