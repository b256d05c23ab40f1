import { dirname, relative, sep } from 'node:path';
import type { Module } from './modules.js';
import { type Node, codeOf, endOf, startOf } from './syntax.js';

/** Whether a module is written with `import`: by its code, else by its name and its package. */
export function usesImport(module: Module, isPackageOfModules: boolean): boolean {
  if (/\.[cm]?tsx?$/.test(module.path)) return true;
  const { body } = module.tree.program;
  if (body.some(({ type }) => /^(?:Import|Export)/.test(type))) return true;
  if (module.path.endsWith('.mjs')) return true;
  if (module.path.endsWith('.cjs') || /\b(?:require\s*\(|module\.exports)/.test(module.text)) return false;
  return isPackageOfModules;
}

/** The quotes, semicolons and line ends of a module. */
interface Style {
  readonly quote: string;
  readonly semicolon: string;
  readonly newline: string;
}

export function styleOf({ text, tree }: Module): Style {
  const double = text.match(/(?:from|require\(|import)\s*"/g)?.length ?? 0;
  const single = text.match(/(?:from|require\(|import)\s*'/g)?.length ?? 0;
  const statements = tree.program.body.filter(
    ({ type }) => !/Function|Class|If|For|While|Try|Block|TS|Export/.test(type),
  );
  const ended = statements.filter((node) => text[endOf(node) - 1] === ';').length;
  return {
    quote: double > single ? '"' : "'",
    semicolon: ended * 2 >= statements.length ? ';' : '',
    newline: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

/** The white space before the line that an offset is in. */
function indentAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? '';
}

/** The position after a statement, and after a comment that ends its line. */
function behind(text: string, node: Node): number {
  // A semicolon at the start of the next line belongs to that line.
  const late = /\s*\n\s*;$/.exec(codeOf({ text }, node))?.[0] ?? '';
  const at = endOf(node) - late.length;
  const rest = /^[ \t]*(?:\/\/[^\r\n]*|\/\*(?:(?!\*\/)[^\r\n])*\*\/[ \t]*)?(?=\r?\n|$)/.exec(
    text.slice(at),
  )?.[0];
  return at + (rest?.length ?? 0);
}

/** A line after a statement, with its indentation. */
export function lineBehind(module: Module, node: Node, line: string): { at: number; text: string } {
  const { newline } = styleOf(module);
  const indent = indentAt(module.text, startOf(node));
  return {
    at: behind(module.text, node),
    text: line
      .split('\n')
      .map((one) => `${newline}${indent}${one}`)
      .join(''),
  };
}

const isRequire = (module: Module, node: Node): boolean =>
  node.type === 'VariableDeclaration' &&
  node.declarations.every(({ init }) =>
    /^require\s*\(/.test(module.text.slice(init?.start ?? 0, init?.end ?? 0)),
  );

/** Puts a line among the imports of a module: after the last one before `limit`. */
export function importPlace(
  module: Module,
  limit: number,
): { readonly at: number; wrap(line: string): string } {
  const { newline } = styleOf(module);
  const { body, directives, interpreter } = module.tree.program;
  const imports = body.filter(
    (node) =>
      node.type === 'ImportDeclaration' ||
      node.type === 'TSImportEqualsDeclaration' ||
      (isRequire(module, node) && endOf(node) <= limit),
  );
  const last = imports.at(-1);
  if (last !== undefined) return { at: behind(module.text, last), wrap: (line) => newline + line };
  const head = directives.at(-1) ?? interpreter;
  if (head) return { at: behind(module.text, head), wrap: (line) => newline + newline + line };
  return {
    at: body[0] === undefined ? module.text.length : startOf(body[0]),
    wrap: (line) => line + newline + newline,
  };
}

/** How a module would name another file in an import, in the way of its other imports. */
export function specifierFor(module: Module, path: string): string {
  const known = [...module.uses].find(([, file]) => file === path)?.[0];
  if (known !== undefined) return known;
  const plain = relative(dirname(module.path), path).split(sep).join('/');
  const dotted = plain.startsWith('.') ? plain : `./${plain}`;
  const others = [...module.uses.keys()];
  if (others.some((specifier) => /\.[cm]?tsx?$/.test(specifier))) return dotted;
  if (module.path.endsWith('.mjs') || others.some((specifier) => /\.[cm]?jsx?$/.test(specifier)))
    return dotted.replace(/\.([cm]?)tsx?$/, '.$1js');
  return dotted.replace(/\.[cm]?[jt]sx?$/, '').replace(/\/index$/, '') || '.';
}

/** A name that the module does not use yet. */
export function freeName({ taken }: Module, ...wanted: readonly string[]): string {
  const [first = 'health'] = wanted;
  for (const name of wanted) if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) if (!taken.has(`${first}${number}`)) return `${first}${number}`;
}

/** `import { Health } from 'lifesign/express';`, or the same with `require`. */
export function importLine(
  style: Style,
  isImport: boolean,
  names: Readonly<Record<string, string>>,
  from: string,
): string {
  const { quote, semicolon } = style;
  const list = Object.entries(names).map(([name, local]) =>
    name === local ? name : `${name}${isImport ? ' as' : ':'} ${local}`,
  );
  const taken = names['default'] ?? `{ ${list.join(', ')} }`;
  return isImport
    ? `import ${taken} from ${quote}${from}${quote}${semicolon}`
    : `const ${taken} = require(${quote}${from}${quote})${semicolon}`;
}
