import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { writeDoors } from '../../scripts/entries.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of `compiled()`. */
    readonly compiled: string;
  }
}

interface Compiled {
  readonly directory: Promise<string>;
  /** How many projects use it. */
  users: number;
}

/** Each project of a run loads this file for itself; the directory is shared. */
const shared: { [key: symbol]: Compiled | undefined } = globalThis;
const key = Symbol.for('lifesign.test.compiled');
const root = resolve(import.meta.dirname, '../..');

/** Compiles the sources and the programs beside the tests once for all children: a loader of TypeScript costs each of them a second of CPU. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const made = (shared[key] ??= { directory: compile(), users: 0 });
  made.users += 1;
  const directory = await made.directory;
  project.provide('compiled', directory);
  return async () => {
    made.users -= 1;
    if (made.users > 0) return;
    delete shared[key];
    rmSync(directory, { recursive: true, force: true });
  };
}

/** Inside the repository, so that packages are found in its node_modules. */
async function compile(): Promise<string> {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const directory = mkdtempSync(join(root, '.tmp/compiled-'));
  // Files that the sources read while developing.
  for (const name of ['scripts', 'docs', 'stubs']) {
    if (existsSync(join(root, name))) symlinkSync(join(root, name), join(directory, name));
  }
  writeDoors(directory);
  await build({
    entryPoints: [...filesIn('src'), ...filesIn('test')],
    outdir: directory,
    outbase: root,
    absWorkingDir: root,
    format: 'esm',
    target: 'node20',
    // The watchdog names the file that blocks.
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'warning',
  });
  return directory;
}

const isProgram = (name: string) => /(?<!\.test|\.d)\.[jt]s$/.test(name);
const isOther = (name: string) => /^(?:node_modules|fixtures|consumers|browser)$/.test(name);

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((each) => {
    if (each.isDirectory()) return isOther(each.name) ? [] : filesIn(join(folder, each.name));
    return isProgram(each.name) ? [join(folder, each.name)] : [];
  });
}
