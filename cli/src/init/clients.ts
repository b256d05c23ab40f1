import type { Module } from './modules.js';
import { importedAs } from './names.js';
import { type Node, bare, endOf, startOf, statementAround, walk } from './syntax.js';

/** The option of Health that takes a client. */
type Use = 'db' | 'mongo' | 'redis';

interface Known {
  readonly use: Use;
  readonly from: readonly string[];
  readonly names: readonly string[];
  readonly call?: boolean;
  /** The class of clients that end the process without a listener for `error`. */
  readonly listener?: boolean;
}

const known: readonly Known[] = [
  { use: 'db', from: ['pg'], names: ['Pool'], listener: true },
  { use: 'db', from: ['@neondatabase/serverless'], names: ['Pool'], listener: true },
  { use: 'db', from: ['postgres'], names: ['default', '*'], call: true },
  { use: 'db', from: ['mysql2', 'mysql2/promise', 'mariadb'], names: ['createPool'], call: true },
  { use: 'db', from: ['knex'], names: ['default', '*', 'knex', 'Knex'], call: true },
  { use: 'db', from: ['sequelize', '@sequelize/core'], names: ['Sequelize', 'default', '*'] },
  { use: 'db', from: ['typeorm'], names: ['DataSource'] },
  { use: 'db', from: ['kysely'], names: ['Kysely'] },
  { use: 'mongo', from: ['mongodb'], names: ['MongoClient'] },
  { use: 'db', from: ['drizzle-orm'], names: ['drizzle'], call: true },
  { use: 'db', from: ['better-sqlite3'], names: ['default', '*'] },
  { use: 'redis', from: ['ioredis'], names: ['default', '*', 'Redis', 'Cluster'] },
  {
    use: 'redis',
    from: ['redis', '@redis/client'],
    names: ['createClient', 'createCluster'],
    call: true,
    listener: true,
  },
];

/** A client that a module creates and keeps under a name. */
export interface Client {
  readonly use: Use;
  readonly library: string;
  readonly module: Module;
  readonly name: string;
  /** The statement that creates it, and the block around that. */
  readonly statement: Node;
  readonly block: Node;
  /** Whether another client uses it: it is checked through that one. */
  readonly isInner: boolean;
  /** Whether it ends the process when it emits an error that the module has no listener for. */
  readonly needsListener: boolean;
}

/** The kind of client that a creation makes, if lifesign checks it. */
function kindOf(module: Module, node: Node): (Known & { readonly library: string }) | undefined {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  const imported = importedAs(module, node.callee);
  if (imported === undefined) return undefined;
  // The client of Prisma comes from a generated file, whose place differs.
  if (imported.name === 'PrismaClient' && node.type === 'NewExpression') {
    return { use: 'db', from: [imported.from], names: ['PrismaClient'], library: 'prisma' };
  }
  const library = imported.from.replace(/^(drizzle-orm)\/.*/, '$1');
  const kind = known.find(({ from, names }) => from.includes(library) && names.includes(imported.name));
  if (kind === undefined || (kind.call === true) !== (node.type === 'CallExpression')) return undefined;
  return { ...kind, library };
}

export function clientsIn(module: Module): Client[] {
  const found: Client[] = [];
  const inner = new Set<string>();
  walk(module.tree.program, (node, around) => {
    if (node.type !== 'VariableDeclarator' || node.id.type !== 'Identifier') return;
    const creation = creationIn(node.init);
    const kind = creation && kindOf(module, creation);
    const place = statementAround(node, around);
    if (kind === undefined || place === undefined || creation === undefined) return;
    const { name } = node.id;
    for (const one of namesWithin(creation)) inner.add(one);
    const hasListener = new RegExp(`(?<![\\w$.])${name}\\s*\\.\\s*on\\s*\\(\\s*['"]error['"]`).test(
      module.text,
    );
    const chained = /\.\s*on\s*\(\s*['"]error['"]/.test(module.text.slice(startOf(node), endOf(node)));
    found.push({
      use: kind.use,
      library: kind.library,
      module,
      name,
      ...place,
      isInner: false,
      needsListener: kind.listener === true && !hasListener && !chained,
    });
  });
  mongooseIn(module, found);
  return found.map((client) => ({ ...client, isInner: inner.has(client.name) }));
}

/** The creation inside `globalThis.prisma ?? new PrismaClient()`, `await createClient().on(…).connect()` and the like. */
function creationIn(init: Node | null | undefined): Node | undefined {
  const node = bare(init);
  if (node?.type === 'LogicalExpression') return creationIn(node.right);
  if (node?.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
    const inner = bare(node.callee.object);
    // The result of a chain of `on` and `connect` is the client, that of `$extends` works as one.
    const { property } = node.callee;
    if (inner?.type === 'CallExpression' || inner?.type === 'NewExpression') {
      const chained = property.type === 'Identifier' && ['on', 'connect', '$extends'].includes(property.name);
      return chained ? creationIn(inner) : node;
    }
  }
  return node?.type === 'CallExpression' || node?.type === 'NewExpression' ? node : undefined;
}

function namesWithin(creation: Node): Set<string> {
  const names = new Set<string>();
  if (creation.type !== 'CallExpression' && creation.type !== 'NewExpression') return names;
  for (const argument of creation.arguments) {
    walk(argument, (node) => {
      if (node.type === 'Identifier') names.add(node.name);
    });
  }
  return names;
}

/** `mongoose.connect()` opens the connection that every model uses. */
function mongooseIn(module: Module, found: Client[]): void {
  const local = [...module.imports].find(
    ([, { from, name }]) => from === 'mongoose' && (name === 'default' || name === '*'),
  )?.[0];
  if (local === undefined) return;
  const first = module.tree.program.body.find(
    (node) => node.type === 'ImportDeclaration' || node.type === 'VariableDeclaration',
  );
  if (first === undefined) return;
  const place = { statement: first, block: module.tree.program };
  found.push({
    use: 'mongo',
    library: 'mongoose',
    module,
    name: `${local}.connection`,
    ...place,
    isInner: false,
    needsListener: false,
  });
}
