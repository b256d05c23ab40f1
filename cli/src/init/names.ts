import { type Node, type Source, bare, memberOf, nameOf, stringOf, walk } from './syntax.js';

/** Something that a module takes from another one: `default`, `*` or the name of an export. */
export interface Imported {
  readonly from: string;
  readonly name: string;
}

/** The names of a module: its imports with their local names, its exports, and every name that it declares. */
export interface Names {
  readonly imports: ReadonlyMap<string, Imported>;
  /** The local name or the expression of each export; `default.pool` is a member of a default export. */
  readonly exports: ReadonlyMap<string, Node | string>;
  /** Modules of `export * from`. */
  readonly passedOn: readonly string[];
  /** Whether it assigns to `module.exports` or `exports`: members of the whole are its exports there. */
  readonly isCommonJs: boolean;
  readonly taken: ReadonlySet<string>;
  /** Every module that it refers to. */
  readonly modules: ReadonlySet<string>;
}

/** The module in `require('…')`, also in `require('…').default`. */
function requiredIn(node: Node | undefined): Imported | undefined {
  const member = memberOf(node);
  if (member !== undefined) {
    const inner = requiredIn(bare(member.object));
    return inner?.name === '*' ? { from: inner.from, name: member.name } : undefined;
  }
  if (node?.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'require')
    return undefined;
  const from = stringOf(node.arguments[0]);
  return from === undefined ? undefined : { from, name: '*' };
}

export function namesOf(source: Source): Names {
  const imports = new Map<string, Imported>();
  const exported = new Exports(source, imports);
  const taken = new Set<string>();
  const modules = new Set<string>();
  walk(source.tree.program, (node, around) => {
    if (isName(node, around.at(-1))) taken.add(node.name);
    if (node.type === 'ImportDeclaration') {
      if (node.importKind === 'type') return;
      modules.add(node.source.value);
      for (const specifier of node.specifiers) {
        if (specifier.type === 'ImportSpecifier' && specifier.importKind === 'type') continue;
        const name = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : undefined;
        const whole = specifier.type === 'ImportNamespaceSpecifier' ? '*' : 'default';
        imports.set(specifier.local.name, { from: node.source.value, name: name ?? whole });
      }
    } else if (node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration') {
      if (node.source) modules.add(node.source.value);
      if (node.type === 'ExportNamedDeclaration') exported.addNamed(node);
      else exported.passedOn.push(node.source.value);
    } else if (node.type === 'ExportDefaultDeclaration')
      exported.add('default', node.declaration, 'default.');
    else if (node.type === 'CallExpression') {
      const dynamic = node.callee.type === 'Import' ? stringOf(node.arguments[0]) : undefined;
      const from = requiredIn(node)?.from ?? dynamic;
      if (from !== undefined) modules.add(from);
    } else if (node.type === 'VariableDeclarator') addRequired(node, imports);
    else if (node.type === 'AssignmentExpression' && !around.some(isFunction)) exported.addAssigned(node);
  });
  exported.addMembers();
  const { values: exports, passedOn, isCommonJs } = exported;
  return { imports, exports, passedOn, isCommonJs, taken, modules };
}

export const isFunction = ({ type }: Node): boolean => /Function|Method/.test(type);

/** Whether an identifier is a name, not the member of an object. */
export function isName(node: Node, parent: Node | undefined): node is Extract<Node, { type: 'Identifier' }> {
  if (node.type !== 'Identifier') return false;
  if (parent?.type === 'MemberExpression') return parent.computed || parent.property !== node;
  return parent?.type !== 'ObjectProperty' || parent.computed || parent.key !== node;
}

/** Collects what a module exports, in both module systems. */
class Exports {
  readonly #source: Source;
  readonly #imports: Map<string, Imported>;
  /** Members that are assigned to a name: `db.sequelize = sequelize`. */
  readonly #members: { readonly owner: string; readonly name: string; readonly value: Node }[] = [];
  readonly values = new Map<string, Node | string>();
  readonly passedOn: string[] = [];
  isCommonJs = false;

  constructor(source: Source, imports: Map<string, Imported>) {
    this.#source = source;
    this.#imports = imports;
  }

  /** The value of an export, and those of the members of an object. */
  add(key: string, value: Node | null | undefined, members: string): void {
    const inner = bare(value);
    const name = inner && 'id' in inner && inner.id ? nameOf(inner.id) : undefined;
    if (inner !== undefined) this.values.set(key, name ?? (inner.type === 'Identifier' ? inner.name : inner));
    if (inner?.type !== 'ObjectExpression') return;
    for (const property of inner.properties)
      if (property.type === 'ObjectProperty' && !property.computed)
        this.add(members + (nameOf(property.key) ?? ''), property.value, `${members}.`);
  }

  /** `export const pool = …`, `export { pool }`, `export { pool } from './pool'`. */
  addNamed({ specifiers, source, declaration }: Extract<Node, { type: 'ExportNamedDeclaration' }>): void {
    for (const specifier of specifiers) {
      if (specifier.type !== 'ExportSpecifier') continue;
      const { name } = specifier.local;
      const local = source ? `${name} of ${source.value}` : name;
      if (source) this.#imports.set(local, { from: source.value, name });
      this.values.set(nameOf(specifier.exported) ?? '', local);
    }
    const declared = declaration?.type === 'VariableDeclaration' ? declaration.declarations : [declaration];
    for (const one of declared)
      if (one && 'id' in one && one.id?.type === 'Identifier') this.values.set(one.id.name, one.id.name);
  }

  /** `module.exports = app`, `module.exports = { app }`, `exports.app = app`. */
  addAssigned({ left, right }: Extract<Node, { type: 'AssignmentExpression' }>): void {
    const to = this.#source.text.slice(left.start ?? 0, left.end ?? 0);
    let value = bare(right);
    while (value?.type === 'AssignmentExpression') value = bare(value.right);
    const [, owner = '', name = ''] = /^((?:module\.)?exports|[\w$]+)\.([\w$]+)$/.exec(to) ?? [];
    const isWhole = to === 'module.exports';
    const isMember = !isWhole && owner.endsWith('exports');
    this.isCommonJs ||= isWhole || isMember;
    if (isWhole) this.add('default', value, '');
    else if (isMember) this.add(name, value, `${name}.`);
    else if (name !== '' && value !== undefined) this.#members.push({ owner, name, value });
  }

  /** The members of what is exported as a whole are known when all assignments were seen. */
  addMembers(): void {
    const whole = this.values.get('default');
    for (const { owner, name, value } of this.#members)
      if (owner === whole) this.add(this.isCommonJs ? name : `default.${name}`, value, `${name}.`);
  }
}

function addRequired(
  node: Extract<Node, { type: 'VariableDeclarator' }>,
  imports: Map<string, Imported>,
): void {
  const init = bare(node.init);
  // `const { Pool } = pg`, after `import pg from 'pg'`.
  const whole = init?.type === 'Identifier' ? imports.get(init.name) : undefined;
  const required = requiredIn(init) ?? (whole?.name === 'default' ? { from: whole.from, name: '*' } : whole);
  if (required === undefined || (whole !== undefined && node.id.type !== 'ObjectPattern')) return;
  if (node.id.type === 'Identifier') imports.set(node.id.name, required);
  if (node.id.type !== 'ObjectPattern' || required.name !== '*') return;
  for (const property of node.id.properties) {
    if (property.type !== 'ObjectProperty' || property.value.type !== 'Identifier') continue;
    imports.set(property.value.name, { from: required.from, name: nameOf(property.key) ?? '' });
  }
}

/** The import of a called name: `express` in `express()`, `Pool` of pg in `new pg.Pool()` and in `new Pool()`. */
export function importedAs({ imports }: Names, callee: Node): Imported | undefined {
  if (callee.type === 'Identifier') return imports.get(callee.name);
  const required = requiredIn(callee);
  if (required !== undefined) return required;
  const member = memberOf(callee);
  if (member?.object.type !== 'Identifier') return undefined;
  const namespace = imports.get(member.object.name);
  if (namespace?.name !== '*' && namespace?.name !== 'default') return undefined;
  return { from: namespace.from, name: member.name };
}
