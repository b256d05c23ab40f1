import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { inject, onTestFinished } from 'vitest';

const modules = resolve(import.meta.dirname, '../../../node_modules');

/** Writes a project into a folder of its own, with lifesign as it is published and the packages that it uses. */
export function writeProject(files: Readonly<Record<string, string>>, packages?: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'lifesign-init-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  if (packages === undefined) return directory;
  cpSync(inject('built'), join(directory, 'node_modules/lifesign'), { recursive: true });
  mkdirSync(join(directory, 'node_modules/.bin'));
  for (const name of packages) {
    const path = join(directory, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(modules, name), path);
  }
  for (const command of ['tsx', 'fastify'])
    symlinkSync(join(modules, '.bin', command), join(directory, 'node_modules/.bin', command));
  return directory;
}
