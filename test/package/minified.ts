import { readFileSync } from 'node:fs';
import { minifySync } from 'rolldown/utils';
import { transformSync } from 'esbuild';

const known = new Map<string, number>();

/** The bytes of a file without white space and comments; names stay. */
export function minifiedBytes(file: string): number {
  const bytes = known.get(file) ?? Buffer.byteLength(minified(readFileSync(file, 'utf8')));
  known.set(file, bytes);
  return bytes;
}

function minified(code: string): string {
  const whole = code.replace(threadText, minifiedText);
  return minifySync('code.js', whole, { compress: false, mangle: false, codegen: true }).code;
}

/** The code of the watchdog's thread is a text in the file that starts it. */
const threadText = /(?<=threadSource = \(\) => )(\[[^\0]*?\n\])\.join\("\\n"\)/;

function minifiedText(_all: string, lines: string): string {
  const text = (JSON.parse(lines) as string[]).join('\n');
  return JSON.stringify(transformSync(text, { format: 'cjs', minify: true }).code);
}
