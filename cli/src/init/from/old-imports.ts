import type { Change } from '../changes.js';
import type { Module } from '../modules.js';
import { type Node, endOf, startOf, stringOf, walk } from '../syntax.js';
import { importLine, styleOf, usesImport } from '../writing.js';

/** A statement that imports a package, or takes names from its exports. */
interface OldImport {
  readonly statement: Node;
  /** Local names by the names of the package. */
  readonly names: Readonly<Record<string, string>>;
}

type Declaration = Extract<Node, { type: 'VariableDeclaration' }>;

const nameOf = (node: Node): string => (node.type === 'Identifier' ? node.name : (stringOf(node) ?? ''));

/** The names that a declaration takes from the packages; undefined if it declares something else, too. */
function namesIn(module: Module, { declarations }: Declaration, packages: readonly string[]) {
  const names: Record<string, string> = {};
  for (const { id, init } of declarations) {
    if (id.type === 'Identifier') {
      const imported = module.imports.get(id.name);
      const isWhole = init?.type === 'CallExpression' || init?.type === 'MemberExpression';
      if (!isWhole || imported === undefined || !packages.includes(imported.from)) return undefined;
      names[imported.name === '*' ? 'default' : imported.name] = id.name;
    } else if (id.type === 'ObjectPattern') {
      for (const property of id.properties) {
        if (property.type !== 'ObjectProperty' || property.value.type !== 'Identifier') return undefined;
        const imported = module.imports.get(property.value.name);
        if (imported === undefined || !packages.includes(imported.from)) return undefined;
        names[nameOf(property.key)] = property.value.name;
      }
    } else return undefined;
  }
  return names;
}

/** The statements of a module that import one of the packages. */
function oldImports(module: Module, packages: readonly string[]): OldImport[] {
  const found: OldImport[] = [];
  for (const statement of module.tree.program.body) {
    if (statement.type === 'ImportDeclaration' && packages.includes(statement.source.value)) {
      const names = statement.specifiers.map((specifier): [string, string] => [
        specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : 'default',
        specifier.local.name,
      ]);
      found.push({ statement, names: Object.fromEntries(names) });
    } else if (statement.type === 'VariableDeclaration') {
      const names = namesIn(module, statement, packages);
      if (names !== undefined) found.push({ statement, names });
    }
  }
  return found;
}

/** Whether a name is used outside of some statements. */
export function isUsed(module: Module, name: string, except: readonly Node[]): boolean {
  let found = false;
  walk(module.tree.program, (node, around) => {
    if (node.type !== 'Identifier' && node.type !== 'JSXIdentifier') return;
    const parent = around.at(-1);
    const isMember =
      (parent?.type === 'MemberExpression' && parent.property === node && !parent.computed) ||
      (parent?.type === 'ObjectProperty' && parent.key === node && !parent.shorthand && !parent.computed);
    if (node.name === name && !isMember && !around.some((one) => except.includes(one))) found = true;
  });
  return found;
}

/**
 * Takes the names out of the imports that only the removed statements used. Returns the import that nothing is left of, for the new ones to take its place.
 */
export function dropImports(
  change: Change,
  module: Module,
  packages: readonly string[],
  removed: readonly Node[],
  kept: string,
): Node | undefined {
  const imports = oldImports(module, packages);
  const statements = imports.map(({ statement }) => statement);
  const reason = `${packages[0] ?? ''} is replaced`;
  const isNeeded = (name: string): boolean =>
    isUsed(module, name, [...removed, ...statements]) ||
    new RegExp(`(?<![\\w$.])${name}(?![\\w$])`).test(kept);
  let instead: Node | undefined;
  // The last first: a name that is taken out of a default import needs that import.
  for (const { statement, names } of imports.toReversed()) {
    const left = Object.entries(names).filter(([, local]) => isNeeded(local));
    if (left.length === Object.keys(names).length && left.length > 0) continue;
    if (left.length === 0) {
      const isFirst = statement === statements[0];
      if (isFirst) instead = statement;
      else removeStatement(change, module, statement, reason);
    } else if (names['default'] === undefined) {
      const line = importLine(
        styleOf(module),
        usesImport(module, true),
        Object.fromEntries(left),
        packages[0] ?? '',
      );
      change.replace(startOf(statement), endOf(statement), line, reason);
    }
  }
  return instead;
}

/** Removes a statement with its line, and one of two blank lines around it. */
export function removeStatement(change: Change, { text }: Module, node: Node, reason: string): void {
  const from = text.lastIndexOf('\n', startOf(node) - 1) + 1;
  const isAlone = /^\s*$/.test(text.slice(from, startOf(node)));
  const rest = /^[ \t]*\r?\n/.exec(text.slice(endOf(node)))?.[0];
  if (!isAlone || rest === undefined) {
    change.remove(startOf(node), endOf(node), reason);
    return;
  }
  const isBlankBefore = from === 0 || /\n[ \t]*\r?\n$/.test(text.slice(0, from));
  const end = endOf(node) + rest.length;
  const blank = isBlankBefore ? (/^[ \t]*\r?\n/.exec(text.slice(end))?.[0] ?? '') : '';
  change.remove(from, end + blank.length, reason);
}
