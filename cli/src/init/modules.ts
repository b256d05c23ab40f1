import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Names, namesOf } from './names.js';
import { isFile } from './files.js';
import type { Project } from './project.js';
import { type Source, treeOf } from './syntax.js';

/** A file of the project with its names and the files that it imports. */
export interface Module extends Source, Names {
  /** From the folder of the project, with slashes. */
  readonly name: string;
  /** Files of the project by the specifiers that this module uses for them. */
  readonly uses: ReadonlyMap<string, string>;
}

/** An export of a module. */
interface Export {
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
    ...[path, stem, join(path, 'index')].flatMap((one) => extensions.map((end) => one + end)),
  ];
  return tries.find((one) => extensions.some((end) => one.endsWith(end)) && isFile(one));
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

  /** A module and everything of the project that it imports, the nearest first. */
  from(path: string): Module[] {
    const paths = new Set([path]);
    const modules: Module[] = [];
    for (const next of paths) {
      const module = this.#at(next);
      if (module === undefined) continue;
      modules.push(module);
      for (const used of module.uses.values()) if (paths.size < maxModules) paths.add(used);
    }
    return modules;
  }

  /** The module that exports what a module imports under a name, through modules that pass it on. */
  source(module: Module, local: string, depth = 0): Export | undefined {
    const imported = module.imports.get(local);
    const path = imported && module.uses.get(imported.from);
    if (imported === undefined || path === undefined) return undefined;
    return this.#exported(path, imported.name === '*' ? 'default' : imported.name, depth);
  }

  #exported(path: string, key: string, depth: number): Export | undefined {
    const module = this.#at(path);
    if (module === undefined || depth > maxSteps) return undefined;
    const value = module.exports.get(key);
    if (typeof value === 'string') return this.source(module, value, depth + 1) ?? { module, key };
    if (value !== undefined) return { module, key };
    if (key === 'default') return undefined;
    const next = module.passedOn.flatMap((from) => module.uses.get(from) ?? []);
    return next.map((one) => this.#exported(one, key, depth + 1)).find((found) => found !== undefined);
  }

  #at(path: string): Module | undefined {
    if (!this.#read.has(path)) this.#read.set(path, this.#load(path));
    return this.#read.get(path);
  }

  #load(path: string): Module | undefined {
    const text = this.#project.files.read(path);
    if (text === undefined || text.length > 1_000_000) return undefined;
    const name = relative(this.#project.directory, path).split(sep).join('/');
    const tree = treeOf(path, text);
    if (tree === undefined) {
      this.broken.push(name);
      return undefined;
    }
    const source = { path, text, tree };
    const names = namesOf(source);
    const uses = new Map<string, string>();
    for (const specifier of names.modules) {
      const used = this.#resolve(path, specifier);
      if (used !== undefined && !used.includes(`${sep}node_modules${sep}`)) uses.set(specifier, used);
    }
    return { ...source, ...names, name, uses };
  }

  #resolve(from: string, specifier: string): string | undefined {
    if (/^\.{1,2}(?:\/|$)/.test(specifier)) return fileFor(resolve(dirname(from), specifier));
    const alias = this.#project.aliases.find(([prefix]) => prefix !== '' && specifier.startsWith(prefix));
    return alias && fileFor(join(alias[1], specifier.slice(alias[0].length)));
  }
}
