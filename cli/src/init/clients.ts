import type { Module } from './modules.js';
import { importedAs, isName } from './names.js';
import { majorOf, type Project } from './project.js';
import { type Node, codeOf, endOf, holderOf, startOf, statementAround, walk } from './syntax.js';

/** The option of Health that takes a client. */
export type Use = 'db' | 'mongo' | 'redis';

interface Kind {
  readonly use: Use;
  readonly from: readonly string[];
  readonly names: readonly string[];
  /** Whether a call creates it, not `new`. */
  readonly call?: boolean;
}

const kinds: readonly Kind[] = [
  { use: 'db', from: ['pg', '@neondatabase/serverless'], names: ['Pool'] },
  { use: 'db', from: ['postgres'], names: ['default', '*'], call: true },
  { use: 'db', from: ['mysql2', 'mysql2/promise', 'mariadb'], names: ['createPool'], call: true },
  { use: 'db', from: ['knex'], names: ['default', '*', 'knex', 'Knex'], call: true },
  { use: 'db', from: ['sequelize', '@sequelize/core'], names: ['Sequelize', 'default', '*'] },
  { use: 'db', from: ['typeorm'], names: ['DataSource'] },
  { use: 'db', from: ['kysely'], names: ['Kysely'] },
  { use: 'db', from: ['drizzle-orm'], names: ['drizzle'], call: true },
  { use: 'db', from: ['better-sqlite3'], names: ['default', '*'] },
  { use: 'mongo', from: ['mongodb'], names: ['MongoClient'] },
  { use: 'mongo', from: ['mongoose'], names: ['connect'], call: true },
  { use: 'redis', from: ['ioredis'], names: ['default', '*', 'Redis', 'Cluster'] },
  { use: 'redis', from: ['redis', '@redis/client'], names: ['createClient', 'createCluster'], call: true },
];

/** The library and the use of the client that a node creates, if lifesign checks it. */
function kindOf(module: Module, node: Node): Pick<Client, 'use' | 'library'> | undefined {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  const { from, name } = importedAs(module, node.callee) ?? { from: '', name: '' };
  // The client of Prisma comes from a generated file, whose place differs.
  if (name === 'PrismaClient' && node.type === 'NewExpression') return { use: 'db', library: 'prisma' };
  const library = from.replace(/^(drizzle-orm)\/.*/, '$1');
  const kind = kinds.find((one) => one.from.includes(library) && one.names.includes(name));
  if (kind === undefined || (kind.call === true) !== (node.type === 'CallExpression')) return undefined;
  return { use: kind.use, library };
}

/** A client that a module creates. */
export interface Client {
  readonly use: Use;
  readonly library: string;
  readonly module: Module;
  /** Its name in the module; undefined if it has none, or is not there when the module has run. */
  readonly name: string | undefined;
  /** The exports of the module that are the client. */
  readonly keys: readonly string[];
  /** The statement that creates it, and the block around that. */
  readonly statement: Node;
  readonly block: Node;
  readonly line: number;
}

/** Members whose result is the client that they are called on, or works as one. */
const isSame = (member: string): boolean => /^(?:on|connect|promise|\$extends)$/.test(member);

/** The clients of a module. One that another is made of is checked through that. */
function clientsIn(module: Module): Client[] {
  const found: Client[] = [];
  const parts = new Set<Node | string>();
  walk(module.tree.program, (node, around) => {
    const kind = parts.has(node) ? undefined : kindOf(module, node);
    const place = statementAround(node, around);
    if (kind === undefined || place === undefined) return;
    for (const part of partsOf(node)) parts.add(part);
    const { reference, whole, isAssigned } = holderOf(module, node, around, isSame);
    const isNamed = reference !== undefined && /^[\w$]+$/.test(reference);
    const isThere = isNamed && (!isAssigned || isAlwaysRun(module, reference, around));
    const name = isThere ? reference : undefined;
    const keys = [...module.exports].filter(([, value]) => value === whole || (isThere && value === name));
    const [program = place.block, statement = place.statement] = around;
    const at = isThere && isAssigned ? { statement, block: program } : place;
    // Both branches of an `if` create the same one.
    const same = found.findIndex((one) => name !== undefined && one.name === name);
    if (same >= 0) found.splice(same, 1);
    const line = node.loc?.start.line ?? 1;
    found.push({ ...kind, ...at, module, name, keys: keys.map(([key]) => key).toSorted(byRank), line });
  });
  return found.filter(({ name }) => name === undefined || !parts.has(name));
}

/** Exports with a name first. */
const byRank = (one: string, other: string): number => rank(one) - rank(other);
const rank = (key: string): number => (key === 'default' ? 1 : key.includes('.') ? 2 : 0);

/** The names and nodes in the arguments of a creation. */
function partsOf(creation: Node): Set<Node | string> {
  const parts = new Set<Node | string>();
  for (const argument of 'arguments' in creation ? creation.arguments : [])
    walk(argument, (node, around) => {
      if (isName(node, around.at(-1))) parts.add(node.name);
      parts.add(node);
    });
  return parts;
}

/** Whether a name has its value when the module is loaded: it gets it in no function, and in both branches of an `if`. */
function isAlwaysRun(module: Module, name: string, around: readonly Node[]): boolean {
  const assigned = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}\\s*=[^=]`);
  return around.every((one) => {
    if (one.type !== 'IfStatement') return !/Function|Method|Class|For|While|Try|Switch/.test(one.type);
    return [one.consequent, one.alternate].every((branch) => branch && assigned.test(codeOf(module, branch)));
  });
}

/** The clients of all modules of a service; of redis 3 and older none. */
export function clientsAmong(project: Project, all: readonly Module[]): Client[] {
  const isOld = (majorOf(project, 'redis') ?? 4) < 4;
  return all.flatMap(clientsIn).filter(({ library }) => library !== 'redis' || !isOld);
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

/** Whether a statement ends before another one begins, or is that one. */
export const isBefore = (statement: Node, other: Node): boolean =>
  statement === other || endOf(statement) <= startOf(other);
