import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Names, namesOf } from './names.js';
import { isFile, type Project } from './project.js';
import { type Source, treeOf } from './syntax.js';

/** A file of the project with its names and the files that it imports. */
export interface Module extends Source, Names {
  /** From the folder of the project, with slashes. */
  readonly name: string;
  /** Files of the project by the specifiers that this module uses for them. */
  readonly uses: ReadonlyMap<string, string>;
}

/** An export of a module. */
export interface Export {
  readonly module: Module;
  readonly key: string;
}

/** Modules that pass a name on, one after the other. */
const maxSteps = 5;

/** More files than this are not looked at. */
const maxModules = 1000;

const extensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.jsx'];

/** The file of a path: without an extension, with the one of the compiled file, or a folder. */
export function fileFor(path: string): string | undefined {
  const stem = path.replace(/\.([cm]?)jsx?$/, '');
  const tries = [
    path,
    ...extensions.map((extension) => path + extension),
    ...(stem === path ? [] : extensions.map((extension) => stem + extension)),
    ...extensions.map((extension) => join(path, `index${extension}`)),
  ];
  return tries.find(
    (candidate) => isFile(candidate) && extensions.some((extension) => candidate.endsWith(extension)),
  );
}

/** The file of a path, if it belongs to the project and is not installed. */
function ownFile(path: string): string | undefined {
  const file = fileFor(path);
  return file === undefined || file.includes(`${sep}node_modules${sep}`) ? undefined : file;
}

/** Reads modules of a project, each once. */
export class Modules {
  readonly #project: Project;
  readonly #read = new Map<string, Module | undefined>();
  /** Files that do not parse. */
  readonly broken: string[] = [];

  constructor(project: Project) {
    this.#project = project;
  }

  nameOf(path: string): string {
    return relative(this.#project.directory, path).split(sep).join('/');
  }

  at(path: string): Module | undefined {
    if (!this.#read.has(path)) this.#read.set(path, this.#load(path));
    return this.#read.get(path);
  }

  /** A module and everything of the project that it imports, the nearest first. */
  from(path: string): Module[] {
    const paths = [path];
    const modules: Module[] = [];
    for (const next of paths) {
      const module = this.at(next);
      if (module === undefined) continue;
      modules.push(module);
      for (const used of module.uses.values())
        if (!paths.includes(used) && paths.length < maxModules) paths.push(used);
    }
    return modules;
  }

  /** The module that declares what a module imports under a name, with its local name there. */
  origin(module: Module, local: string): { readonly module: Module; readonly name: string } | undefined {
    const source = this.source(module, local);
    const name = source?.module.exports.get(source.key);
    return source === undefined || name === undefined ? undefined : { module: source.module, name };
  }

  /** The module that exports what a module imports under a name, through modules that pass it on. */
  source(module: Module, local: string, depth = 0): Export | undefined {
    const imported = module.imports.get(local);
    const path = imported && module.uses.get(imported.from);
    if (imported === undefined || path === undefined || depth > maxSteps) return undefined;
    return this.#exported(path, imported.name === '*' ? 'default' : imported.name, depth);
  }

  #exported(path: string, key: string, depth: number): Export | undefined {
    const module = this.at(path);
    if (module === undefined || depth > maxSteps) return undefined;
    const local = module.exports.get(key);
    if (local !== undefined) return this.source(module, local, depth + 1) ?? { module, key };
    if (module.values.has(key)) return { module, key };
    for (const { from, name, as } of module.passedOn) {
      const next = module.uses.get(from);
      if (next === undefined || (as !== key && (as !== '*' || key === 'default'))) continue;
      const found = this.#exported(next, as === '*' ? key : name, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #load(path: string): Module | undefined {
    const text = this.#project.files.read(path);
    if (text === undefined || text.length > 1_000_000) return undefined;
    const tree = treeOf(path, text);
    if (tree === undefined) {
      this.broken.push(this.nameOf(path));
      return undefined;
    }
    const source = { path, text, tree };
    const names = namesOf(source);
    const uses = new Map<string, string>();
    for (const specifier of names.modules) {
      const used = this.#resolve(path, specifier);
      if (used !== undefined) uses.set(specifier, used);
    }
    return { ...source, ...names, name: this.nameOf(path), uses };
  }

  #resolve(from: string, specifier: string): string | undefined {
    if (/^\.{1,2}(?:\/|$)/.test(specifier)) return ownFile(resolve(dirname(from), specifier));
    const alias = this.#project.aliases.find(([prefix]) => prefix !== '' && specifier.startsWith(prefix));
    return alias && ownFile(join(alias[1], specifier.slice(alias[0].length)));
  }
}
