import { optionInvalid } from '../../core/options/errors.js';
import { host } from '../../core/runtime.js';
import { applicationRoot } from '../../core/version.js';
import { listOf, property, textOf } from '../client.js';
import { Failure } from '../reasons.js';

/** The settings that hold a folder of migrations: Drizzle and Prisma, node-pg-migrate. */
const options = ['migrationsFolder', 'dir'] as const;

/** Node's files; the libraries that keep migrations in files run nowhere else. */
function files() {
  const fs = host.getBuiltinModule?.('node:fs');
  const path = host.getBuiltinModule?.('node:path');
  if (fs === undefined || path === undefined) throw new Failure('This runtime has no file system');
  return { fs, path };
}

export async function readText(folder: string, ...names: readonly string[]): Promise<string> {
  const { fs, path } = files();
  return fs.promises.readFile(path.join(folder, ...names), 'utf8');
}

export async function namesIn(folder: string, kind: 'folders' | 'files'): Promise<readonly string[]> {
  const entries = await files().fs.promises.readdir(folder, { withFileTypes: true });
  const some = entries.filter((entry) => entry.isDirectory() === (kind === 'folders'));
  return some.map(({ name }) => name).toSorted();
}

/**
 * The folder of the migrations as an absolute path; undefined if the settings have none. Relative ones are resolved
 * against the roots, the folder of the started script and the application's root, not against the working directory. Throws if none exists.
 */
export function folderOf(source: unknown, roots: readonly string[]): string | undefined {
  const { path } = files();
  for (const folder of knexFolders(source)) {
    if (!isFolder(folder)) throw missing('Knex migrations directory', folder, [path.resolve()]);
  }
  const option = options.find((name) => textOf(property(source, name)) !== undefined);
  const folder = option && textOf(property(source, option));
  // With useGlob it is a pattern for files, not a folder.
  if (folder === undefined || property(source, 'useGlob') === true) return undefined;
  const script = host.argv?.[1];
  const ofScript = script === undefined ? [] : [path.dirname(script), applicationRoot()];
  const candidates = path.isAbsolute(folder) ? [''] : [...roots, ...ofScript];
  const existing = candidates.map((root) => path.resolve(root, folder)).find(isFolder);
  if (existing === undefined)
    throw missing(`Option migrations.${option}`, folder, candidates.filter(Boolean));
  return existing;
}

/** Whether a Knex has no migrations: each has a default folder, which may not exist. */
export const isUnusedKnex = (source: unknown): boolean =>
  knexFolders(source).some((folder) => folder === './migrations' && !isFolder(folder));

const isFolder = (folder: string): boolean =>
  files().fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;

/** Knex finds its folders itself, from the working directory. */
function knexFolders(source: unknown): readonly string[] {
  const own = property(source, 'migrate', 'config', 'migrationSource');
  return listOf(property(own, 'migrationsPaths')).filter((path) => typeof path === 'string');
}

function missing(option: string, given: string, roots: readonly string[]) {
  const where = roots.length === 0 ? '' : ` in ${[...new Set(roots)].join(' or ')}`;
  const fix = 'Fix it, or copy the folder into the image: without it, missing migrations cannot be detected.';
  return optionInvalid(option, given, `an existing folder${where}`, fix);
}

/** The path of a file that could not be read, without the folders above the root; undefined for other errors. */
export function unreadablePath(thrown: unknown, roots: readonly string[]): string | undefined {
  const file = textOf(property(thrown, 'path'));
  // A socket has a path too.
  if (file === undefined || property(thrown, 'syscall') === 'connect') return undefined;
  const { path } = files();
  const inside = roots.map((root) => path.relative(root, file)).find((way) => !way.startsWith('..'));
  return inside ?? path.join(path.basename(path.dirname(file)), path.basename(file));
}
