import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseExpression } from '@babel/parser';
import { fileUnusable, usageInvalid } from '../../../src/tools.js';
import { isRecord } from '../json.js';
import { Files, readText } from './files.js';
import { type Node, stringOf } from './syntax.js';

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
  /** Prefixes of imports and their folders, of tsconfig.json. */
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
  const dependencies = new Map<string, string>();
  for (const key of ['devDependencies', 'peerDependencies', 'optionalDependencies', 'dependencies']) {
    for (const [name, range] of Object.entries(texts(json[key]))) dependencies.set(name, range);
  }
  return {
    directory,
    files,
    name: typeof json['name'] === 'string' ? json['name'].replace(/^@[^/]*\//, '') : undefined,
    manifest,
    scripts: texts(json['scripts']),
    dependencies,
    main: typeof json['main'] === 'string' ? json['main'] : undefined,
    isModule: json['type'] === 'module',
    manager: managerOf(directory, json['packageManager']),
    ...compilerOf(directory, json['imports']),
  };
}

function texts(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}

/** Folders of the packages of a monorepo, as package.json or pnpm-workspace.yaml lists them. */
export function workspacesOf(directory: string): string[] {
  const json = jsonOf(readText(join(directory, 'package.json')) ?? '');
  const workspaces = isRecord(json) ? json['workspaces'] : undefined;
  const listed = isRecord(workspaces) ? workspaces['packages'] : workspaces;
  if (Array.isArray(listed)) return listed.filter((one) => typeof one === 'string');
  const lines = (readText(join(directory, 'pnpm-workspace.yaml')) ?? '').split('\n');
  return lines.flatMap((line) => /^\s+-\s+['"]?([^'"!#]+?)['"]?\s*$/.exec(line)?.[1] ?? []);
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

/** The value of JSON that may have comments and trailing commas, as tsconfig.json may. */
export function jsonOf(text: string): unknown {
  try {
    return valueOf(parseExpression(text.replace(/^\uFEFF/, '')));
  } catch {
    return undefined;
  }
}

function valueOf(node: Node): unknown {
  if (node.type === 'ObjectExpression') {
    const pairs = node.properties.map((property): [string, unknown] | undefined => {
      if (property.type !== 'ObjectProperty') return undefined;
      const key = stringOf(property.key);
      return key === undefined ? undefined : [key, valueOf(property.value)];
    });
    return Object.fromEntries(pairs.filter((pair) => pair !== undefined));
  }
  if (node.type === 'ArrayExpression') return node.elements.map((element) => element && valueOf(element));
  if (node.type === 'BooleanLiteral' || node.type === 'NumericLiteral') return node.value;
  return stringOf(node);
}

type Compiler = Pick<Project, 'outDir' | 'rootDir' | 'aliases'>;

function compilerOf(directory: string, imports: unknown): Compiler {
  const config = [`tsconfig.json`, 'jsconfig.json', 'tsconfig.build.json']
    .map((file) => jsonOf(readText(join(directory, file)) ?? ''))
    .filter(isRecord)
    .map(({ compilerOptions }): Readonly<Record<string, unknown>> =>
      isRecord(compilerOptions) ? compilerOptions : {},
    );
  const option = (name: string): unknown => config.find((options) => options[name] !== undefined)?.[name];
  const folder = (name: string): string | undefined => {
    const value = option(name);
    return typeof value === 'string' ? value : undefined;
  };
  const base = join(directory, folder('baseUrl') ?? '.');
  const paths = option('paths');
  const aliases = Object.entries(isRecord(paths) ? paths : {}).map(([pattern, targets]): [string, string] => {
    const [target = ''] = Array.isArray(targets) ? targets.map(String) : [];
    return [pattern.replace(/\*$/, ''), join(base, target.replace(/\*$/, ''))];
  });
  // Names of package.json itself: `#db` and `#src/*`.
  for (const [pattern, target] of Object.entries(texts(imports)))
    aliases.push([pattern.replace(/\*$/, ''), join(directory, target.replace(/\*$/, ''))]);
  return { outDir: folder('outDir') ?? 'dist', rootDir: folder('rootDir') ?? 'src', aliases };
}

/** The major version of a dependency by its range; undefined if it does not say. */
export function majorOf({ dependencies }: Project, name: string): number | undefined {
  const major = /\d+/.exec(dependencies.get(name) ?? '')?.[0];
  return major === undefined ? undefined : Number(major);
}
