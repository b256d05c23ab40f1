import type { Client } from './clients.js';
import type { Module, Modules } from './modules.js';
import { isName } from './names.js';
import type { Handed } from './options.js';
import { type Node, walk } from './syntax.js';
import { freeName, specifierFor, usesImport } from './writing.js';

/** The exports of its module that are a client, those with a name first. */
function keysOf({ module, name, key }: Client): string[] {
  if (key !== undefined) return [key];
  const keys = [...module.exports].filter(([, local]) => local === name).map(([one]) => one);
  return keys.toSorted((one, other) => rank(one) - rank(other));
}

const rank = (key: string): number => (key === 'default' ? 1 : key.startsWith('default.') ? 2 : 0);

/** How a module that imports a client already refers to it. */
export function knownAs(modules: Modules, module: Module, client: Client): string | undefined {
  const keys = keysOf(client);
  for (const [local, { from, name }] of module.imports) {
    const source = modules.source(module, local);
    if (source?.module === client.module && keys.includes(source.key)) return local;
    if (module.uses.get(from) !== client.module.path || (name !== '*' && name !== 'default')) continue;
    // `db.pool`, of an import of the whole module or of an object that it exports.
    for (const key of keys) {
      const [first, member] = key.split('.');
      const isWhole = name === '*' || client.module.isCommonJs;
      if (isWhole && first !== 'default') return `${local}.${key}`;
      if (name === 'default' && first === 'default' && member !== undefined) return `${local}.${member}`;
    }
  }
  return undefined;
}

/** The statement of a module that declares what a line needs for a client; imports are there before all lines. */
export function declarationOf(modules: Modules, module: Module, client: Client): Node | undefined {
  if (client.module === module) return client.statement;
  const [base] =
    (client.library === 'mongoose' ? mongooseIn(module) : knownAs(modules, module, client))?.split('.') ?? [];
  return base === undefined ? undefined : requireOf(module, base);
}

/** The name of mongoose in a module. */
export const mongooseIn = ({ imports }: Module): string | undefined =>
  [...imports].find(([, { from, name }]) => from === 'mongoose' && (name === 'default' || name === '*'))?.[0];

/** The `require` of a module that gives a name its value. */
export function requireOf({ tree }: Module, local: string): Node | undefined {
  return tree.program.body.find(
    (statement) =>
      statement.type === 'VariableDeclaration' &&
      statement.declarations.some(({ id }) => {
        let declares = false;
        walk(id, (node, around) => (declares ||= isName(node, around.at(-1)) && node.name === local));
        return declares;
      }),
  );
}

/** The import that a module needs for a client. */
export function imported(module: Module, client: Client): Handed | undefined {
  const [key] = keysOf(client);
  if (key === undefined) return undefined;
  // `require` of an ES module has its default export under another name.
  const isRequired = !usesImport(module, false) && !client.module.isCommonJs;
  if (isRequired && rank(key) > 0) return undefined;
  const from = specifierFor(module, client.module.path);
  const [first = key, member] = key.split('.');
  const wanted = member === undefined ? client.name : 'clients';
  const local = freeName(module, wanted, `${wanted}Client`);
  const reference = member === undefined ? local : `${local}.${member}`;
  return { client, local: reference, importing: { name: first, local, from } };
}
