import { dirname, join, relative } from 'node:path';
import type { Plan } from './changes.js';
import type { Use } from './client-kinds.js';
import { clientsAmong } from './clients.js';
import { startsOf } from './entry.js';
import { entriesOf, readText } from './files.js';
import type { Framework } from './frameworks.js';
import { type Module, Modules } from './modules.js';
import { filesIn } from './present.js';
import { isFile, jsonOf, type Project, readProject } from './project.js';
import { isRecord } from '../json.js';

/** A package whose client lifesign can check. */
interface Package {
  readonly use: Use | 'broker';
  /** The library of the clients that are read from the code, if it has another name. */
  readonly library?: string;
  /** Whether other packages use it as their driver. */
  readonly isDriver?: boolean;
  /** The client in a Fastify application. */
  readonly member?: string;
  /** The type of a client that the container of NestJS provides. */
  readonly type?: string;
}

const driver: Package = { use: 'db', isDriver: true };

const packages: Readonly<Record<string, Package>> = {
  '@fastify/mongodb': { use: 'mongo', member: 'mongo.client' },
  '@fastify/mysql': { use: 'db', member: 'mysql' },
  '@fastify/postgres': { use: 'db', member: 'pg.pool' },
  '@fastify/redis': { use: 'redis', member: 'redis' },
  '@mikro-orm/core': { use: 'db' },
  '@nestjs/mongoose': { use: 'mongo', library: 'mongoose' },
  '@prisma/client': { use: 'db', library: 'prisma' },
  '@sequelize/core': { use: 'db' },
  'drizzle-orm': { use: 'db' },
  knex: { use: 'db' },
  kysely: { use: 'db' },
  mongoose: { use: 'mongo' },
  sequelize: { use: 'db' },
  typeorm: { use: 'db' },
  '@neondatabase/serverless': driver,
  'better-sqlite3': driver,
  mariadb: driver,
  mysql2: driver,
  pg: driver,
  postgres: driver,
  mongodb: { use: 'mongo', isDriver: true, type: 'MongoClient' },
  bullmq: { use: 'broker' },
  '@redis/client': { use: 'redis', isDriver: true },
  ioredis: { use: 'redis', isDriver: true, type: 'Redis' },
  iovalkey: { use: 'redis', isDriver: true },
  redis: { use: 'redis', isDriver: true, type: 'RedisClientType' },
  amqplib: { use: 'broker' },
  kafkajs: { use: 'broker' },
  nats: { use: 'broker' },
  'pg-boss': { use: 'broker' },
  '@platformatic/kafka': { use: 'broker' },
  '@valkey/valkey-glide': { use: 'redis', isDriver: true },
};

/** The packages with databases. */
export const databases = Object.keys(packages).filter((name) => packages[name]?.use === 'db');

const libraryOf = (name: string): string => packages[name]?.library ?? name.replace(/^(mysql2)\/.*/, '$1');

/** Where a line for a client goes. */
interface Target {
  readonly framework: Framework | 'next' | 'worker';
  /** The name of the application, and the module that Health is created in. */
  readonly application?: string;
  readonly place?: string;
}

const factories = {
  db: ['database', 'checks.checkDatabaseConnected'],
  mongo: ['mongodb', 'checks.mongo'],
  redis: ['redis', 'checks.checkRedisConnected'],
  broker: ['broker', 'checks.checkBrokerConnected'],
} as const;

const checkOf = (use: Package['use'], client: string): string =>
  `health.check('${factories[use][0]}', ${factories[use][1]}(${client}))`;

/** The line that adds the check of a client; `injected` is how the container of NestJS provides it. */
function lineFor(target: Target, use: Package['use'], client: string, injected?: string): string {
  const { framework, application = 'app', place = 'the module of the application' } = target;
  const check = checkOf(use, client);
  if (framework === 'nestjs') {
    const more = injected === undefined ? '' : `, ${injected}`;
    return `constructor(@Inject(Health) health: Health${more}) { ${check}; } in the root module, with checks and Health of lifesign/nestjs`;
  }
  // A plugin has its client when all plugins are loaded.
  if (framework === 'fastify' && client.startsWith(`${application}.`))
    return `const health = new Health(${application}); ${application}.addHook('onReady', async () => void ${check}); in ${place}, with checks of lifesign/fastify`;
  if (framework === 'next')
    return use === 'mongo'
      ? `a check with checks.mongo(${client}) in the file that HEALTH_CONFIG names, see docs/auto.md#checks`
      : `watch({ ${use}: ${client} }); in register() of instrumentation.ts, with watch of lifesign/auto`;
  const args = framework === 'worker' ? '' : `${application}, `;
  return use === 'mongo'
    ? `const health = new Health(${args.replace(', ', '')}); ${check}; in ${place}, with checks of lifesign/${framework}`
    : `new Health(${args}{ ${use}: ${client} }); in ${place}`;
}

/** Names the clients among the dependencies of a service for which no check was added; `known` are the libraries that were checked or named. */
export function noteUnchecked(
  plan: Plan,
  project: Project,
  all: readonly Module[],
  target: Target,
  known: readonly string[],
): void {
  const seen = new Set([...known].map(libraryOf));
  const names = dependenciesOf(project, all);
  noteWorkspaces(plan, project, names, target, seen);
  const clients = [...names].filter((name) => Object.hasOwn(packages, name));
  for (const name of clients) {
    const { use, member, type } = packages[name] ?? driver;
    const library = libraryOf(name);
    const isUsed = clients.some((one) => one !== name && usesDriver(one, name));
    // The connection of BullMQ may be checked itself.
    if (seen.has(library) || isUsed || (name === 'bullmq' && seen.has('ioredis'))) continue;
    seen.add(library);
    const place = usedIn(project, name);
    const text = (place && readText(place)) ?? '';
    const decorated = /\.decorate\(\s*['"](\w+)['"]/.exec(text)?.[1];
    const own = member ?? (target.framework === 'fastify' ? decorated : undefined);
    const client = own === undefined ? 'client' : `${target.application ?? 'app'}.${own}`;
    const token = /\bprovide\s*:\s*([\w$.]+|'[^']*'|"[^"]*")/.exec(text)?.[1];
    const injected =
      library === 'mongoose' && names.has('@nestjs/mongoose')
        ? '@InjectConnection() client: Connection'
        : token && type && `@Inject(${token}) client: ${type}`;
    const where =
      place === undefined
        ? `${name} is among the dependencies`
        : `${relative(project.directory, place)} uses ${name}`;
    plan.note(`${where}, and no check was added for it: write ${lineFor(target, use, client, injected)}`);
  }
}

/** Whether a package of the same kind is above a driver: its client is checked or named itself. */
function usesDriver(name: string, below: string): boolean {
  const { use, isDriver = false } = packages[name] ?? driver;
  if (name === 'bullmq') return below === 'ioredis';
  return !isDriver && packages[below]?.isDriver === true && use === packages[below].use;
}

/** The dependencies of the service at run time, by package.json and by the code. */
function dependenciesOf({ manifest }: Project, all: readonly Module[]): Set<string> {
  const json = jsonOf(manifest);
  const listed = (key: string): string[] => {
    const value = isRecord(json) ? json[key] : undefined;
    return isRecord(value) ? Object.keys(value) : [];
  };
  const imported = all
    .flatMap(({ modules }) => [...modules])
    .map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
  return new Set([...listed('dependencies'), ...listed('optionalDependencies'), ...imported]);
}

/** The file of a project that imports a package; tests and scripts do not count. */
function usedIn({ directory }: Project, name: string): string | undefined {
  const imports = new RegExp(`(?:from|require\\(|import\\(?)\\s*['"]${name}['"/]`);
  for (const path of filesIn(directory)) {
    if (
      !/\.[cm]?[jt]s$/.test(path) ||
      /(?:^|[/.])(?:tests?|spec|__tests__|scripts|migrations)[/.]/.test(relative(directory, path))
    )
      continue;
    if (imports.test(readText(path) ?? '')) return path;
  }
  return undefined;
}

function projectAt(folder: string): Project | undefined {
  try {
    return readProject(folder);
  } catch {
    return undefined;
  }
}

/** Names the clients of packages of the same monorepo. */
function noteWorkspaces(
  plan: Plan,
  project: Project,
  names: ReadonlySet<string>,
  target: Target,
  seen: Set<string>,
): void {
  const folders = workspacesAround(project.directory);
  const waiting = [...names];
  for (const name of waiting) {
    const folder = folders.get(name);
    if (folder === undefined || folder === project.directory) continue;
    const own = projectAt(folder);
    if (own === undefined) continue;
    const modules = new Modules(own);
    const [start] = startsOf(own);
    const all = start === undefined || start.by === 'next' ? [] : modules.from(start.file);
    const clients = clientsAmong(all);
    for (const { use, library, name: client, module, isInner } of clients.named) {
      seen.add(libraryOf(library));
      const key = [...module.exports].find(([, local]) => local === client)?.[0];
      const reference = key === undefined || key.includes('.') ? 'client' : key === 'default' ? client : key;
      if (isInner) continue;
      plan.note(
        `${name} creates ${client} (${library}) in ${relative(project.directory, module.path)}, and no check was added for it: ` +
          `import ${key === 'default' ? reference : `{ ${reference} }`} from ${name}, and write ${lineFor(target, use, reference)}`,
      );
    }
    for (const { use, library, module, line } of clients.hidden) {
      seen.add(libraryOf(library));
      plan.note(
        `${name} creates a client of ${library} in ${relative(project.directory, module.path)}:${line}, and no check was added for it: write ${lineFor(target, use, 'client')}`,
      );
    }
    for (const one of dependenciesOf(own, all)) if (!waiting.includes(one)) waiting.push(one);
  }
}

/** The folders of the packages of the monorepo that a folder belongs to, by their names. */
function workspacesAround(directory: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let folder = dirname(directory); folder !== dirname(folder); folder = dirname(folder)) {
    if (!isFile(join(folder, 'package.json'))) continue;
    for (const pattern of projectAt(folder)?.workspaces ?? []) {
      const [base = '', star] = pattern.split(/\/\*+/);
      const places =
        star === undefined
          ? [join(folder, base)]
          : entriesOf(join(folder, base)).map((entry) => join(folder, base, entry.name));
      for (const place of places) {
        const json = jsonOf(readText(join(place, 'package.json')) ?? '');
        if (isRecord(json) && typeof json['name'] === 'string') found.set(json['name'], place);
      }
    }
    if (found.size > 0) break;
  }
  return found;
}
