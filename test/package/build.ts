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

interface Built {
  readonly built: string;
  readonly builtCli: string;
  /** How many projects use them. */
  users: number;
}

/** Each project of a run loads this file for itself; what is built is shared. */
const shared: { [key: symbol]: Built | undefined } = globalThis;
const key = Symbol.for('lifesign.test.built');

/** Builds both packages once for all tests that need them, apart from `dist`, which others may be writing. */
export default function setup(project: TestProject): () => void {
  const places = (shared[key] ??= build());
  places.users += 1;
  project.provide('built', places.built);
  project.provide('builtCli', places.builtCli);
  return () => {
    places.users -= 1;
    if (places.users === 0) remove(places);
  };
}

function remove({ built, builtCli }: Built): void {
  delete shared[key];
  for (const place of [built, builtCli]) rmSync(place, { recursive: true, force: true });
}

function build(): Built {
  const root = resolve(import.meta.dirname, '../..');
  const built = mkdtempSync(join(tmpdir(), 'lifesign-built-'));
  const builtCli = mkdtempSync(join(tmpdir(), 'lifesign-built-cli-'));
  const places = { built, builtCli, users: 0 };
  for (const file of ['auto.js', 'package.json', 'LICENSE', 'README.md', 'SKILL.md', 'schemas']) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(built, file), { recursive: true });
  }
  for (const file of ['package.json', 'LICENSE', 'README.md']) {
    if (existsSync(join(root, 'cli', file))) cpSync(join(root, 'cli', file), join(builtCli, file));
  }
  // Its dependencies, which are not published with it.
  symlinkSync(join(root, 'node_modules'), join(builtCli, 'node_modules'));
  // `npm test` has built them just before; each of its parts takes a copy.
  if (process.env['BUILT'] !== undefined) {
    cpSync(join(root, 'dist'), join(built, 'dist'), { recursive: true });
    cpSync(join(root, 'cli/dist'), join(builtCli, 'dist'), { recursive: true });
    return places;
  }
  const run = (name: string, ...args: string[]) =>
    execFileSync(process.execPath, [join(root, 'scripts', name), ...args], { stdio: 'inherit' });
  // Types are judged by `npm run typecheck`; here only what runs counts.
  try {
    run('build.mjs', join(built, 'dist'), '--no-types');
    run('build-cli.mjs', join(builtCli, 'dist'));
  } catch (error) {
    remove(places);
    throw error;
  }
  return places;
}
