import { importedAs, type Module } from './modules.js';
import { majorOf, type Project } from './project.js';
import {
  codeOf,
  endOf,
  isWhole,
  memberOf,
  type Node,
  type Place,
  patternOf,
  placeOf,
  referenceTo,
  startOf,
  walk,
} from './syntax.js';

/** The option of Health, or the check, for a client. */
export type Use = 'db' | 'mongo' | 'redis' | 'broker';

/** A package whose client lifesign can check. */
interface Library {
  readonly use: Use;
  /** The library of its client, if that has another name. */
  readonly library?: string;
  /** The exports that create a client with `new`, or when they are called. */
  readonly classes?: readonly string[];
  readonly functions?: readonly string[];
  /** Whether other packages use it as their driver. */
  readonly isDriver?: boolean;
  /** The client in a Fastify application. */
  readonly member?: string;
  /** The type of a client that the container of NestJS provides. */
  readonly type?: string;
}

const whole = ['default', '*'];
const pool: Library = { use: 'db', classes: ['Pool'], isDriver: true };
const createPool: Library = { use: 'db', functions: ['createPool'], isDriver: true };
const sequelize: Library = { use: 'db', classes: ['Sequelize', ...whole] };
const redis: Library = { use: 'redis', functions: ['createClient', 'createCluster'], isDriver: true };

export const libraries: ReadonlyMap<string, Library> = new Map(
  Object.entries<Library>({
    '@fastify/mongodb': { use: 'mongo', member: 'mongo.client' },
    '@fastify/mysql': { use: 'db', member: 'mysql' },
    '@fastify/postgres': { use: 'db', member: 'pg.pool' },
    '@fastify/redis': { use: 'redis', member: 'redis' },
    '@mikro-orm/core': { use: 'db' },
    '@nestjs/mongoose': { use: 'mongo', library: 'mongoose' },
    '@prisma/client': { use: 'db', library: 'prisma' },
    '@sequelize/core': sequelize,
    'drizzle-orm': { use: 'db', functions: ['drizzle'] },
    knex: { use: 'db', functions: [...whole, 'knex', 'Knex'] },
    kysely: { use: 'db', classes: ['Kysely'] },
    mongoose: { use: 'mongo', functions: ['connect'] },
    sequelize,
    typeorm: { use: 'db', classes: ['DataSource'] },
    '@neondatabase/serverless': pool,
    'better-sqlite3': { use: 'db', classes: whole, isDriver: true },
    mariadb: createPool,
    mysql2: createPool,
    pg: pool,
    postgres: { use: 'db', functions: whole, isDriver: true },
    mongodb: { use: 'mongo', classes: ['MongoClient'], isDriver: true, type: 'MongoClient' },
    '@redis/client': redis,
    ioredis: { use: 'redis', classes: [...whole, 'Redis', 'Cluster'], isDriver: true, type: 'Redis' },
    iovalkey: { use: 'redis', isDriver: true },
    redis: { ...redis, type: 'RedisClientType' },
    '@valkey/valkey-glide': { use: 'redis', isDriver: true },
    amqplib: { use: 'broker' },
    bullmq: { use: 'broker' },
    kafkajs: { use: 'broker' },
    nats: { use: 'broker' },
    'pg-boss': { use: 'broker' },
    '@platformatic/kafka': { use: 'broker' },
  }),
);

/** `mysql2` of `mysql2/promise`. */
export const packageOf = (specifier: string): string =>
  specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

/** The library and the use of the client that a node creates, if lifesign checks it. */
function kindOf(module: Module, node: Node): Pick<Client, 'use' | 'library'> | undefined {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return undefined;
  const { from, name } = importedAs(module, node.callee) ?? { from: '', name: '' };
  const isNew = node.type === 'NewExpression';
  // The client of Prisma comes from a generated file, whose place differs.
  if (name === 'PrismaClient' && isNew) return { use: 'db', library: 'prisma' };
  // `MongoClient.connect(url)` is `new MongoClient(url).connect()`.
  const owner = isNew ? undefined : memberOf(node.callee)?.object;
  if (owner && memberOf(node.callee)?.name === 'connect' && importedAs(module, owner)?.name === 'MongoClient')
    return { use: 'mongo', library: 'mongodb' };
  const library = packageOf(from);
  const { use, classes = [], functions = [] } = libraries.get(library) ?? {};
  return use && (isNew ? classes : functions).includes(name) ? { use, library } : undefined;
}

/** A client that a module creates. */
export interface Client {
  readonly use: Use;
  readonly library: string;
  readonly module: Module;
  readonly creation: Node;
  /** How later statements refer to it; undefined if they cannot. */
  readonly reference: string | undefined;
  /** That, if it is a variable. */
  readonly name: string | undefined;
  /** Whether the module exports it as a whole. */
  readonly isWhole: boolean;
  readonly place: Place;
  readonly line: number;
}

function clientsIn(module: Module): Client[] {
  const found: Client[] = [];
  walk(module.tree.program, (creation, around) => {
    const kind = kindOf(module, creation);
    const place = placeOf(creation, around);
    if (kind === undefined || place === undefined) return;
    const reference = referenceTo(module, creation, around);
    const name = /^[\w$]+$/.test(reference ?? '') ? reference : undefined;
    found.push({
      ...kind,
      module,
      creation,
      reference,
      name,
      isWhole: reference === 'module.exports' || isWhole(module, reference ?? ''),
      place,
      line: creation.loc?.start.line ?? 1,
    });
  });
  return found.filter((client) => !found.some((other) => isPartOf(client, other)));
}

/** Whether another client of the module is made of it, and checked instead: `drizzle(pool)`. */
function isPartOf({ creation, reference }: Client, other: Client): boolean {
  if (creation === other.creation) return false;
  const isInside = startOf(creation) >= startOf(other.creation) && endOf(creation) <= endOf(other.creation);
  const named = new RegExp(patternOf(reference ?? ''));
  return isInside || (reference !== undefined && named.test(codeOf(other.module, other.creation)));
}

/** The clients of all modules of a service; of redis 3 and older none. */
export function clientsAmong(project: Project, all: readonly Module[]): Client[] {
  const isOld = isOldRedis(project);
  return all.flatMap(clientsIn).filter(({ library }) => library !== 'redis' || !isOld);
}

/** Whether the clients of redis have no promises. */
export const isOldRedis = (project: Project): boolean => (majorOf(project, 'redis') ?? 4) < 4;
