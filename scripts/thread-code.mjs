// The watchdog's thread as one text: an application that is bundled into one file needs no second one.
import { join } from 'node:path';
import { buildSync } from 'esbuild';

export function threadCode() {
  const { outputFiles } = buildSync({
    absWorkingDir: join(import.meta.dirname, '..'),
    entryPoints: ['src/watchdog/thread/main.ts'],
    bundle: true,
    legalComments: 'none',
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
  });
  // Without the names of the files that it was made of.
  return outputFiles[0].text.replaceAll(/^\/\/ src\/.*\n/gm, '');
}
