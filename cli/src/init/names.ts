import { Exports } from './exports.js';
import { type Node, type Source, bare, memberOf, nameOf, stringOf, walk } from './syntax.js';

/** Something that a module takes from another one: `default`, `*` or the name of an export. */
export interface Imported {
  readonly from: string;
  readonly name: string;
}

/** The names of a module: its imports with their local names, its exports, and every name that it declares. */
export interface Names {
  readonly imports: ReadonlyMap<string, Imported>;
  /** The local name of each export; `default.pool` is a member of a default export. */
  readonly exports: ReadonlyMap<string, string>;
  /** Exports that are expressions: `export default new Pool()`, `exports.pool = new Pool()`. */
  readonly values: ReadonlyMap<string, Node>;
  /** Exports that are another module's: `export { pool } from './pool'`, with `*` for all of them. */
  readonly passedOn: readonly (Imported & { readonly as: string })[];
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
  const given = new Exports(source);
  const taken = new Set<string>();
  const modules = new Set<string>();
  walk(source.tree.program, (node, around) => {
    if (isName(node, around.at(-1))) taken.add(node.name);
    if (node.type === 'ImportDeclaration') {
      if (node.importKind === 'type') return;
      modules.add(node.source.value);
      for (const specifier of node.specifiers) {
        if (specifier.type === 'ImportSpecifier' && specifier.importKind === 'type') continue;
        const name =
          specifier.type === 'ImportDefaultSpecifier'
            ? 'default'
            : specifier.type === 'ImportNamespaceSpecifier'
              ? '*'
              : (nameOf(specifier.imported) ?? '');
        imports.set(specifier.local.name, { from: node.source.value, name });
      }
    } else if (node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration') {
      if (node.source) modules.add(node.source.value);
      if (node.type === 'ExportNamedDeclaration') given.addNamed(node);
      else given.addAll(node);
    } else if (node.type === 'ExportDefaultDeclaration') given.addDefault(node.declaration);
    else if (node.type === 'CallExpression') {
      const required = requiredIn(node);
      if (required !== undefined) modules.add(required.from);
      const dynamic = node.callee.type === 'Import' ? stringOf(node.arguments[0]) : undefined;
      if (dynamic !== undefined) modules.add(dynamic);
    } else if (
      node.type === 'TSImportEqualsDeclaration' &&
      node.moduleReference.type === 'TSExternalModuleReference'
    ) {
      modules.add(node.moduleReference.expression.value);
      imports.set(node.id.name, { from: node.moduleReference.expression.value, name: '*' });
    } else if (node.type === 'VariableDeclarator') addRequired(node, imports);
    else if (node.type === 'AssignmentExpression' && !around.some(isFunction)) given.addAssigned(node);
  });
  return { imports, ...given.all(), taken, modules };
}

const isFunction = ({ type }: Node): boolean => /Function|Method/.test(type);

/** Whether an identifier is a name, not the member of an object. */
export function isName(node: Node, parent: Node | undefined): node is Extract<Node, { type: 'Identifier' }> {
  if (node.type !== 'Identifier') return false;
  if (parent?.type === 'MemberExpression') return parent.computed || parent.property !== node;
  return parent?.type !== 'ObjectProperty' || parent.computed || parent.key !== node;
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
