import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A directory that holds the package as it is published, built from the present sources. */
    readonly built: string;
    /** The same of lifesign-cli, with its dependencies. */
    readonly builtCli: string;
  }
}

/** Builds both packages once for all tests that need them, apart from `dist`, which others may be writing. */
export default function setup(project: TestProject): () => void {
  const root = resolve(import.meta.dirname, '../..');
  const built = mkdtempSync(join(tmpdir(), 'lifesign-built-'));
  const builtCli = mkdtempSync(join(tmpdir(), 'lifesign-built-cli-'));
  const remove = () => {
    for (const place of [built, builtCli]) rmSync(place, { recursive: true, force: true });
  };
  for (const file of ['package.json', 'LICENSE', 'CHANGELOG.md', 'README.md', 'schemas']) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(built, file), { recursive: true });
  }
  for (const file of ['package.json', 'LICENSE', 'README.md']) {
    if (existsSync(join(root, 'cli', file))) cpSync(join(root, 'cli', file), join(builtCli, file));
  }
  // Its dependencies, which are not published with it.
  symlinkSync(join(root, 'node_modules'), join(builtCli, 'node_modules'));
  const script = (name: string) => join(root, 'scripts', name);
  // Types are judged by `npm run typecheck`; here only what runs counts.
  try {
    const build = (...args: string[]) => execFileSync(process.execPath, args, { stdio: 'inherit' });
    build(script('build.mjs'), join(built, 'dist'), '--no-types');
    build(script('build-cli.mjs'), join(builtCli, 'dist'));
  } catch (error) {
    remove();
    throw error;
  }
  project.provide('built', built);
  project.provide('builtCli', builtCli);
  return remove;
}
