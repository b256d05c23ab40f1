import { optionInvalid } from '../../core/options/errors.js';
import { host } from '../../core/runtime.js';
import { applicationRoot } from '../../core/version.js';
import { property, textOf } from '../client.js';

/** The settings that hold a folder of migrations: Drizzle and Prisma, node-pg-migrate. */
const options = ['migrationsFolder', 'dir'] as const;

/** The file functions of a runtime that has them. */
function files() {
  const fs = host.getBuiltinModule?.('node:fs');
  const path = host.getBuiltinModule?.('node:path');
  return fs === undefined || path === undefined ? undefined : { fs, path };
}

/**
 * The folder of the migrations as an absolute path; undefined if the settings have none. Relative ones are looked
 * for in the given folders, in that of the script that was started and in the application's root, and not in
 * whichever the process was started from. None of them: refused.
 */
export function folderOf(source: unknown, roots: readonly string[]): string | undefined {
  const node = files();
  if (node === undefined) return undefined;
  for (const folder of knexFolders(source)) {
    if (!isFolder(folder)) throw missing('Knex migrations directory', folder, [node.path.resolve()]);
  }
  const option = options.find((name) => textOf(property(source, name)) !== undefined);
  const given = option === undefined ? undefined : textOf(property(source, option));
  // With useGlob it is a pattern for files, not a folder.
  if (given === undefined || property(source, 'useGlob') === true) return undefined;
  const candidates = node.path.isAbsolute(given) ? [''] : [...roots, ...scriptFolders(node.path)];
  const found = candidates.map((root) => node.path.resolve(root, given)).find(isFolder);
  if (found === undefined) throw missing(`Option migrations.${option}`, given, candidates.filter(Boolean));
  return found;
}

/** Whether a client that was found, and not given, is meant to have migrations: every Knex has a default folder. */
export function isUnusedKnex(source: unknown): boolean {
  return knexFolders(source).some((folder) => folder === './migrations' && !isFolder(folder));
}

function isFolder(folder: string): boolean {
  return files()?.fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Knex looks for its folders itself, from the working directory. */
function knexFolders(source: unknown): readonly string[] {
  const own = property(property(property(source, 'migrate'), 'config'), 'migrationSource');
  const paths = property(own, 'migrationsPaths');
  return Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
}

function scriptFolders(path: { dirname(file: string): string }): readonly string[] {
  const script = host.argv?.[1];
  return script === undefined ? [] : [path.dirname(script), applicationRoot()];
}

function missing(option: string, given: string, roots: readonly string[]) {
  const where = roots.length === 0 ? '' : ` in ${[...new Set(roots)].join(' or ')}`;
  const fix = 'Fix it, or copy the folder into the image: without it, missing migrations cannot be detected.';
  return optionInvalid(option, given, `an existing folder${where}`, fix);
}

/** The path of a file that could not be read, without the folders above the root; undefined for other errors. */
export function unreadablePath(thrown: unknown, roots: readonly string[]): string | undefined {
  const path = textOf(property(thrown, 'path'));
  const node = files();
  // A socket has a path too.
  if (path === undefined || node === undefined || property(thrown, 'syscall') === 'connect') return undefined;
  const inside = roots.map((root) => node.path.relative(root, path)).find((way) => !way.startsWith('..'));
  return inside ?? node.path.join(node.path.basename(node.path.dirname(path)), node.path.basename(path));
}
