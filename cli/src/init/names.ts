import { type Node, type Source, bare, stringOf, walk } from './syntax.js';

/** Something that a module takes from another one: `default`, `*` or the name of an export. */
export interface Imported {
  readonly from: string;
  readonly name: string;
}

/** The names of a module: its imports with their local names, its exports, and every name that it declares. */
export interface Names {
  readonly imports: ReadonlyMap<string, Imported>;
  /** The local name or expression of each export. */
  readonly exports: ReadonlyMap<string, string>;
  readonly taken: ReadonlySet<string>;
  /** Every module that it refers to. */
  readonly modules: ReadonlySet<string>;
}

/** The module in `require('…')`, also in `require('…').default`. */
function requiredIn(node: Node | undefined): Imported | undefined {
  if (node?.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier') {
    const inner = requiredIn(bare(node.object));
    return inner?.name === '*' ? { from: inner.from, name: node.property.name } : undefined;
  }
  if (node?.type !== 'CallExpression' || node.callee.type !== 'Identifier' || node.callee.name !== 'require')
    return undefined;
  const from = stringOf(node.arguments[0]);
  return from === undefined ? undefined : { from, name: '*' };
}

const nameOf = (node: Node): string | undefined => (node.type === 'Identifier' ? node.name : stringOf(node));

export function namesOf(source: Source): Names {
  const imports = new Map<string, Imported>();
  const exports = new Map<string, string>();
  const taken = new Set<string>();
  const modules = new Set<string>();
  walk(source.tree.program, (node) => {
    if (node.type === 'Identifier') taken.add(node.name);
    if (node.type === 'ImportDeclaration') {
      if (node.importKind === 'type') return;
      modules.add(node.source.value);
      for (const specifier of node.specifiers) {
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
      if (node.type === 'ExportNamedDeclaration') addExports(node, exports);
    } else if (node.type === 'ExportDefaultDeclaration') {
      const { declaration } = node;
      if (declaration.type === 'Identifier') exports.set('default', declaration.name);
      else if ('id' in declaration && declaration.id?.type === 'Identifier')
        exports.set('default', declaration.id.name);
    } else if (node.type === 'CallExpression') {
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
    else if (node.type === 'AssignmentExpression') addAssigned(source, node, exports);
  });
  return { imports, exports, taken, modules };
}

function addExports(
  node: Extract<Node, { type: 'ExportNamedDeclaration' }>,
  exports: Map<string, string>,
): void {
  if (node.source) return;
  for (const specifier of node.specifiers) {
    if (specifier.type === 'ExportSpecifier')
      exports.set(nameOf(specifier.exported) ?? '', specifier.local.name);
  }
  const { declaration } = node;
  if (declaration?.type === 'VariableDeclaration') {
    for (const { id } of declaration.declarations)
      if (id.type === 'Identifier') exports.set(id.name, id.name);
  } else if (declaration && 'id' in declaration && declaration.id?.type === 'Identifier') {
    exports.set(declaration.id.name, declaration.id.name);
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

/** `module.exports = app`, `module.exports = { app }`, `exports.app = app`. */
function addAssigned(
  source: Source,
  node: Extract<Node, { type: 'AssignmentExpression' }>,
  exports: Map<string, string>,
): void {
  const to = source.text.slice(node.left.start ?? 0, node.left.end ?? 0);
  const value = bare(node.right);
  if (to === 'module.exports') {
    if (value?.type === 'Identifier') exports.set('default', value.name);
    if (value?.type === 'AssignmentExpression') addAssigned(source, { ...value, left: node.left }, exports);
    if (value?.type !== 'ObjectExpression') return;
    for (const property of value.properties) {
      if (property.type !== 'ObjectProperty' || property.value.type !== 'Identifier') continue;
      exports.set(nameOf(property.key) ?? '', property.value.name);
    }
    return;
  }
  const name = /^(?:module\.)?exports\.(\w+)$/.exec(to)?.[1];
  if (name !== undefined && value?.type === 'Identifier') exports.set(name, value.name);
}

/** The import of a called name: `express` in `express()`, `Pool` of pg in `new pg.Pool()` and in `new Pool()`. */
export function importedAs({ imports }: Names, callee: Node): Imported | undefined {
  if (callee.type === 'Identifier') return imports.get(callee.name);
  const required = requiredIn(callee);
  if (required !== undefined) return required;
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier')
    return undefined;
  if (callee.object.type === 'CallExpression') {
    const inner = requiredIn(callee.object);
    return inner && { from: inner.from, name: callee.property.name };
  }
  if (callee.object.type !== 'Identifier') return undefined;
  const namespace = imports.get(callee.object.name);
  if (namespace === undefined || (namespace.name !== '*' && namespace.name !== 'default')) return undefined;
  return { from: namespace.from, name: callee.property.name };
}
