import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { install } from '../../../scripts/install.mjs';

const root = resolve(import.meta.dirname, '../../..');
const modules = join(root, 'node_modules');

function writeFiles(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/**
 * Writes a project into a folder of its own, with lifesign as it is published and the packages that it uses: of a folder of test/hosts for
 * another major of them, or else of the project's own.
 */
export function writeProject(
  files: Readonly<Record<string, string>>,
  packages?: readonly string[],
  host = '',
): string {
  const directory = mkdtempSync(join(tmpdir(), 'lifesign-init-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  writeFiles(directory, files);
  if (packages === undefined) return directory;
  cpSync(inject('built'), join(directory, 'node_modules/lifesign'), { recursive: true });
  mkdirSync(join(directory, 'node_modules/.bin'));
  const folder = join(root, 'test/hosts', host);
  const older = join(folder, 'node_modules');
  // Those that are not installed with the project itself.
  if (existsSync(join(folder, 'package-lock.json'))) install(folder);
  const installed = (name: string) =>
    host !== '' && existsSync(join(older, name)) ? join(older, name) : join(modules, name);
  for (const name of packages) {
    const path = join(directory, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(installed(name), path);
  }
  for (const command of ['tsx', 'fastify', 'prisma'])
    symlinkSync(installed(`.bin/${command}`), join(directory, 'node_modules/.bin', command));
  return directory;
}
