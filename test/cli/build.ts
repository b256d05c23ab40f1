import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A directory that holds the package as it is published, built from the present sources. */
    readonly built: string;
  }
}

/** Builds the package once for all tests of the command, apart from `dist`, which others may be writing. */
export default function setup(project: TestProject): () => void {
  const root = resolve(import.meta.dirname, '../..');
  const built = mkdtempSync(join(tmpdir(), 'lifesign-built-'));
  for (const file of ['package.json', 'LICENSE', 'CHANGELOG.md', 'README.md', 'schemas']) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(built, file), { recursive: true });
  }
  const script = join(root, 'scripts/build.mjs');
  // Types are judged by `npm run typecheck`; here only what runs counts.
  try {
    execFileSync(process.execPath, [script, join(built, 'dist'), '--no-types'], { stdio: 'inherit' });
  } catch (error) {
    rmSync(built, { recursive: true, force: true });
    throw error;
  }
  project.provide('built', built);
  return () => rmSync(built, { recursive: true, force: true });
}
