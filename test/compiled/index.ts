import { isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/**
 * The JavaScript of a TypeScript program in `src` or `test`, which node runs without a loader. The project of the test needs `test/compiled/setup.ts`.
 *
 * @example fork(compiled(new URL('drain-app.ts', import.meta.url)))
 */
export function compiled(program: URL | string): string {
  const file = program instanceof URL ? fileURLToPath(program) : program;
  const place = relative(root, file);
  if (isAbsolute(place) || !/^(?:src|test)\b/.test(place)) throw new Error(`${file} is not compiled`);
  return join(inject('compiled'), place.replace(/\.ts$/, '.js'));
}

/**
 * Flags of node for a test that compares heaps: V8 keeps compiling for as long as a program runs, and the machine code of NestJS, with what V8
 * notes about it, was 2 MB after 500 applications.
 */
export const withoutCompilers = ['--no-opt', '--no-maglev', '--no-sparkplug', '--no-flush-bytecode'];
