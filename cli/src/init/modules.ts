import { dirname, join, relative, resolve, sep } from 'node:path';
import { isFile } from './files.js';
import type { Project } from './project.js';
import {
  bare,
  memberOf,
  nameOf,
  type Node,
  type Place,
  placeOf,
  type Source,
  stringOf,
  treeOf,
  walk,
} from './syntax.js';

/** Something that a module imports from another one: `default`, `*` or the name of an export. */
export interface Imported {
  readonly from: string;
  readonly name: string;
  /** The statement with `require`; an import is there before every statement. */
  readonly place?: Place | undefined;
}

/** A file of the project, and what it imports from others. */
export interface Module extends Source {
  /** From the folder of the project, with slashes. */
  readonly name: string;
  /** By their local names. */
  readonly imports: ReadonlyMap<string, Imported>;
  /** Every module that it refers to. */
  readonly modules: ReadonlySet<string>;
  /** Files of the project by the specifiers that this module uses for them. */
  readonly uses: ReadonlyMap<string, string>;
}

/** The module in `require('…')`, also in `require('…').default`. */
export function requiredIn(node: Node | undefined): Imported | undefined {
  const member = memberOf(node);
  if (member !== undefined) {
    const inner = requiredIn(bare(member.object));
    return inner?.name === '*' ? { from: inner.from, name: member.name } : undefined;
  }
  const isRequire = node?.type === 'CallExpression' && nameOf(node.callee) === 'require';
  const from = isRequire ? stringOf(node.arguments[0]) : undefined;
  return from === undefined ? undefined : { from, name: '*' };
}

type Names = Pick<Module, 'imports' | 'modules'>;

function namesOf({ tree }: Source): Names {
  const imports = new Map<string, Imported>();
  const modules = new Set<string>();
  walk(tree.program, (node, around) => {
    if (node.type === 'ImportDeclaration' && node.importKind !== 'type') {
      const from = node.source.value;
      modules.add(from);
      for (const one of node.specifiers) {
        if (one.type === 'ImportSpecifier' && one.importKind === 'type') continue;
        const name = one.type === 'ImportSpecifier' ? nameOf(one.imported) : undefined;
        const whole = one.type === 'ImportNamespaceSpecifier' ? '*' : 'default';
        imports.set(one.local.name, { from, name: name ?? whole });
      }
    } else if (node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration') {
      if (node.source) modules.add(node.source.value);
    } else if (node.type === 'CallExpression') {
      const dynamic = node.callee.type === 'Import' ? stringOf(node.arguments[0]) : undefined;
      const from = requiredIn(node)?.from ?? dynamic;
      if (from !== undefined) modules.add(from);
    } else if (node.type === 'VariableDeclarator') addRequired(node, placeOf(node, around), imports);
  });
  return { imports, modules };
}

function addRequired(
  { id, init }: Extract<Node, { type: 'VariableDeclarator' }>,
  place: Place | undefined,
  imports: Map<string, Imported>,
): void {
  const value = bare(init);
  // `const { Pool } = pg`, after `import pg from 'pg'`.
  const whole = value?.type === 'Identifier' ? imports.get(value.name) : undefined;
  const { from, name } = requiredIn(value) ?? { from: whole?.from, name: '*' };
  if (from === undefined) return;
  if (id.type === 'Identifier' && whole === undefined) imports.set(id.name, { from, name, place });
  if (id.type !== 'ObjectPattern' || name !== '*') return;
  for (const one of id.properties)
    if (one.type === 'ObjectProperty' && one.value.type === 'Identifier')
      imports.set(one.value.name, { from, name: nameOf(one.key) ?? '', place });
}

/** The import of a called name: `express` in `express()`, `Pool` of pg in `new pg.Pool()` and in `new Pool()`. */
export function importedAs({ imports }: Names, callee: Node): Imported | undefined {
  if (callee.type === 'Identifier') return imports.get(callee.name);
  const required = requiredIn(callee);
  if (required !== undefined) return required;
  const member = memberOf(callee);
  const namespace = member && imports.get(nameOf(member.object) ?? '');
  const isWhole = namespace?.name === '*' || namespace?.name === 'default';
  return isWhole ? { from: namespace.from, name: member?.name ?? '' } : undefined;
}

/** More files than this are not read. */
const maxModules = 1000;

const extensions = ['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.jsx'];

/** The file of a path: without an extension, with the one of the compiled file, or a folder. */
export function fileFor(path: string): string | undefined {
  const stems = [path, path.replace(/\.([cm]?)jsx?$/, ''), join(path, 'index')];
  const tries = [path, ...stems.flatMap((stem) => extensions.map((end) => stem + end))];
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
      if (!this.#read.has(next)) this.#read.set(next, this.#load(next));
      const module = this.#read.get(next);
      if (module === undefined) continue;
      modules.push(module);
      for (const used of module.uses.values()) if (paths.size < maxModules) paths.add(used);
    }
    return modules;
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
    for (const [prefix, folder] of this.#project.aliases) {
      const isBelow = specifier.startsWith(prefix);
      const file = isBelow ? fileFor(join(folder, specifier.slice(prefix.length))) : undefined;
      if (file !== undefined) return file;
    }
    return undefined;
  }
}
