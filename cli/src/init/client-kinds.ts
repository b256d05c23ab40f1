import type { Module } from './modules.js';
import { importedAs } from './names.js';
import { type Node, bare, memberOf } from './syntax.js';

/** The option of Health that takes a client. */
export type Use = 'db' | 'mongo' | 'redis';

interface Known {
  readonly use: Use;
  readonly from: readonly string[];
  readonly names: readonly string[];
  readonly call?: boolean;
  /** The class of clients that end the process without a listener for `error`. */
  readonly listener?: boolean;
}

/** A kind of client, and the package that it comes from. */
export type Kind = Known & { readonly library: string };

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

/** The kind of client that a creation makes, if lifesign checks it. */
export function kindOf(module: Module, node: Node | undefined): Kind | undefined {
  if (node?.type !== 'CallExpression' && node?.type !== 'NewExpression') return undefined;
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

/** Calls whose result is the client that they are called on, or works as one. */
const chainable = new Set(['on', 'connect', 'promise', '$extends']);

/** The creation in `globalThis.prisma ?? new PrismaClient()`, `await createClient().on(…).connect()` and the like. */
export function creationIn(init: Node | null | undefined): Node | undefined {
  const node = bare(init);
  if (node?.type === 'LogicalExpression' || node?.type === 'AssignmentExpression')
    return creationIn(node.right);
  if (node?.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
    const inner = bare(node.callee.object);
    if (inner?.type === 'CallExpression' || inner?.type === 'NewExpression')
      return chainable.has(memberOf(node.callee)?.name ?? '') ? creationIn(inner) : node;
  }
  return node?.type === 'CallExpression' || node?.type === 'NewExpression' ? node : undefined;
}
