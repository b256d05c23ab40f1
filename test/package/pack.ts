import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The package as it would be published. */
    readonly tarball: string;
    /** Its size on disk, in bytes. */
    readonly unpackedSize: number;
    /** A project that has installed it. */
    readonly consumer: string;
  }
}

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** Packs the package and installs it into a project of its own, as a user would. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratch = await mkdtemp(join(tmpdir(), 'lifesign-package-'));
  // `npm test` has built it just before; building again here would pull dist from under other tests.
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch];
  const { stdout } = await run('npm', pack, { cwd: root });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  const tarball = join(scratch, packed.filename);
  const consumer = join(scratch, 'consumer');
  await cp(join(import.meta.dirname, 'consumers'), consumer, { recursive: true });
  await writeFile(join(consumer, 'package.json'), '{"private":true}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--offline', tarball], { cwd: consumer });
  // The user's own framework and compiler.
  const modules = join(consumer, 'node_modules');
  await mkdir(join(modules, '@types'));
  for (const name of ['express', 'typescript', '@types/express', '@types/node']) {
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  project.provide('tarball', tarball);
  project.provide('unpackedSize', packed.unpackedSize);
  project.provide('consumer', consumer);
  return () => rm(scratch, { recursive: true });
}
