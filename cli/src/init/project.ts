import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileUnusable, usageInvalid } from '../../../src/tools.js';
import { isRecord } from '../json.js';
import { Files, filesIn, isFile, readText } from './files.js';

type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

/** Facts from a project's own files. */
export interface Project {
  /** A real path. */
  readonly directory: string;
  readonly files: Files;
  /** The name in package.json without its scope. */
  readonly name: string | undefined;
  /** The text of package.json. */
  readonly manifest: string;
  readonly scripts: Readonly<Record<string, string>>;
  /** Ranges of all dependencies by name, those for development too. */
  readonly dependencies: ReadonlyMap<string, string>;
  readonly main: string | undefined;
  readonly isModule: boolean;
  readonly manager: PackageManager;
  /** Folders of compiled files and of their sources. */
  readonly outDir: string;
  readonly rootDir: string;
  /** Prefixes of imports and their folders, of tsconfig.json and package.json. */
  readonly aliases: readonly (readonly [prefix: string, folder: string])[];
}

export function readProject(given: string): Project {
  const directory = existsSync(given) ? realpathSync(given) : given;
  const path = join(directory, 'package.json');
  const files = new Files(directory);
  const manifest = files.own(path);
  if (manifest === undefined) {
    const reason = files.left.get(path);
    if (reason !== undefined) throw fileUnusable(path, 'written', `it ${reason}`);
    throw usageInvalid(`There is no package.json in ${directory}: name the folder of a service`);
  }
  const json = jsonOf(manifest);
  if (!isRecord(json)) throw usageInvalid(`${path} is not a JSON object`);
  const lists = ['devDependencies', 'peerDependencies', 'optionalDependencies', 'dependencies'];
  return {
    directory,
    files,
    name: typeof json['name'] === 'string' ? json['name'].replace(/^@[^/]*\//, '') : undefined,
    manifest,
    scripts: texts(json['scripts']),
    dependencies: new Map(lists.flatMap((list) => Object.entries(texts(json[list])))),
    main: typeof json['main'] === 'string' ? json['main'] : undefined,
    isModule: json['type'] === 'module',
    manager: managerOf(directory, json['packageManager']),
    ...compilerOf(directory, json['imports']),
  };
}

/** The members of an object that are texts. */
export function texts(value: unknown): Record<string, string> {
  const pairs = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}

/** The value of JSON that may have comments and trailing commas, as tsconfig.json may. */
export function jsonOf(text: string): unknown {
  const string = String.raw`("(?:\\.|[^"\\])*")`;
  const withoutComments = text.replace(new RegExp(String.raw`${string}|//.*|/\*[^]*?\*/`, 'g'), '$1');
  const plain = withoutComments.replace(new RegExp(String.raw`${string}|,(?=\s*[}\]])`, 'g'), '$1');
  try {
    return JSON.parse(plain.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

const lockFiles: readonly (readonly [string, PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
];

/** By the field of package.json or the nearest lock file: in a monorepo it is further up. */
function managerOf(directory: string, field: unknown): PackageManager {
  const named = lockFiles.find(([, manager]) => String(field).startsWith(`${manager}@`));
  if (named !== undefined) return named[1];
  for (let folder = directory; ; folder = dirname(folder)) {
    const found = lockFiles.find(([file]) => existsSync(join(folder, file)));
    if (found !== undefined) return found[1];
    if (dirname(folder) === folder || existsSync(join(folder, '.git'))) return 'npm';
  }
}

type Compiler = Pick<Project, 'outDir' | 'rootDir' | 'aliases'>;

function compilerOf(directory: string, imports: unknown): Compiler {
  const options = ['tsconfig.build.json', 'jsconfig.json', 'tsconfig.json'].map((file) => {
    const json = jsonOf(readText(join(directory, file)) ?? '');
    return isRecord(json) && isRecord(json['compilerOptions']) ? json['compilerOptions'] : {};
  });
  const all: Readonly<Record<string, unknown>> = Object.assign({}, ...options);
  const { outDir = 'dist', rootDir = 'src', baseUrl } = texts(all);
  const paths = Object.entries(isRecord(all['paths']) ? all['paths'] : {}).map(
    ([pattern, targets]): [string, string] => [
      pattern,
      join(baseUrl ?? '.', String(Array.isArray(targets) ? targets[0] : '')),
    ],
  );
  // Names of package.json itself: `#db` and `#src/*`.
  const base: [string, string][] = baseUrl === undefined ? [] : [['', baseUrl]];
  const aliases = [...paths, ...Object.entries(texts(imports)), ...base].map(
    ([pattern, target]) => [pattern.replace(/\*$/, ''), join(directory, target.replace(/\*$/, ''))] as const,
  );
  return { outDir, rootDir, aliases };
}

/** The major version of a dependency by its range; undefined if it does not say. */
export function majorOf({ dependencies }: Project, name: string): number | undefined {
  const major = /\d+/.exec(dependencies.get(name) ?? '')?.[0];
  return major === undefined ? undefined : Number(major);
}

/** The folders of the packages below the root of a monorepo, by their names; none below any other folder. */
export function packagesBelow(root: string): Map<string, string> {
  const isRoot =
    isFile(join(root, 'pnpm-workspace.yaml')) ||
    /"workspaces"\s*:/.test(readText(join(root, 'package.json')) ?? '');
  const found = new Map<string, string>();
  for (const path of isRoot ? filesIn(root) : []) {
    if (basename(path) !== 'package.json' || dirname(path) === root) continue;
    found.set(texts(jsonOf(readText(path) ?? ''))['name'] ?? path, dirname(path));
  }
  return found;
}

/** The packages of the monorepo that a folder belongs to. */
export function packagesAround(directory: string): Map<string, string> {
  const above = dirname(directory);
  const found = packagesBelow(above);
  return found.size > 0 || above === directory ? found : packagesAround(above);
}
