import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const unreachable = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH|ENOTCACHED/;

/**
 * A project with packages from the registry, which are kept for the next run, and the package as it would be published, if its tarball is given.
 * Undefined where the registry cannot be reached; CI fails then.
 */
export async function projectWith(
  name: string,
  packages: readonly string[],
  tarball?: string,
): Promise<string | undefined> {
  // Outside of this clone, whose own packages would be found, and of any node_modules, which test runners leave out.
  const wanted = createHash('sha256')
    .update(JSON.stringify([root, packages]))
    .digest('hex')
    .slice(0, 16);
  const cwd = join(tmpdir(), 'lifesign-projects', `${name}-${wanted}`);
  const stamp = join(cwd, 'installed');
  if (!existsSync(stamp)) {
    await rm(cwd, { recursive: true, force: true });
    await mkdir(cwd, { recursive: true });
    await writeFile(join(cwd, 'package.json'), '{"private":true}');
    const install = [
      'install',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--ignore-scripts',
      ...packages,
    ];
    try {
      await run('npm', install, { cwd });
    } catch (thrown) {
      if (process.env['CI'] !== undefined || !unreachable.test(String(thrown))) throw thrown;
      console.warn(`SKIPPED ${name}: the registry cannot be reached, ${packages.join(' ')} were not tried`);
      return undefined;
    }
    await writeFile(stamp, '');
  }
  if (tarball === undefined) return cwd;
  const installed = join(cwd, 'node_modules/lifesign');
  await rm(installed, { recursive: true, force: true });
  await mkdir(installed);
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  return cwd;
}

/** Copies files of `consumers` into a project. */
export async function copyFiles(folder: string, cwd: string): Promise<void> {
  await cp(join(import.meta.dirname, 'consumers', folder), cwd, { recursive: true });
}
